// Decisions on their way to the disk of the server. One that was not confirmed stays in this browser and is sent again.

const PREFIX = "g2w-review/";
const WAIT_MS = [300, 1000, 2000, 5000];
const TIMEOUT_MS = 15000;

let lastMoment = 0;

/** The moment of a decision in seconds; strictly growing, since it also tells a repeated delivery from a new decision. */
export function moment() {
  lastMoment = Math.max(Date.now(), lastMoment + 1);
  return lastMoment / 1000;
}

/** Keep the decision, deliver it until the server confirms it, and return its answer. `onTrouble(text)` while it fails. */
export async function deliver(decision, onTrouble) {
  const key = `${PREFIX}${decision.decided_unix_s}/${decision.proposal}`;
  const body = JSON.stringify(decision);
  keep(key, body);
  for (let attempt = 0; ; attempt++) {
    const outcome = await send(body);
    if (outcome.settled) {
      localStorage.removeItem(key);
      if (outcome.error) throw new Error(outcome.error);
      return outcome.answer;
    }
    onTrouble(outcome.error);
    await new Promise((done) => setTimeout(done, WAIT_MS[Math.min(attempt, WAIT_MS.length - 1)]));
  }
}

/** Decisions of a reviewer that an earlier page of this browser could not deliver, oldest first. */
export function undelivered(reviewer) {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX))
    .map((key) => JSON.parse(localStorage.getItem(key)))
    .filter((decision) => decision.reviewer === reviewer)
    .sort((a, b) => a.decided_unix_s - b.decided_unix_s);
}

function keep(key, body) {
  try {
    localStorage.setItem(key, body);
  } catch {
    // No room or no permission: the decision still lives in this page.
  }
}

async function send(body) {
  try {
    const response = await fetch("/api/decisions", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = await response.json();
    if (response.ok) return { settled: true, answer };
    // What the server refuses for good will not get better; what it could not do now may.
    return { settled: response.status < 500, error: answer.error };
  } catch {
    return { settled: false, error: "the server does not answer" };
  }
}
