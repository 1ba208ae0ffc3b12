// What the browser keeps; one that keeps nothing, and says so by throwing, can still play.

/** What is kept under a name, or null. */
export const load = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

/** Keep a text under a name; null: forget it. */
export const keep = (name, text) => {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // It is asked for again at the next visit.
  }
};
