// Pictures of a proposal. They come late and in any order: what belongs to another proposal by then is not shown.

const $ = (id) => document.getElementById(id);
const FRAME = [1280, 720];
const PATIENCE_MS = 200;
let wanted = new AbortController();

export async function showPictures(proposal) {
  wanted.abort();
  const mine = (wanted = new AbortController());
  const frame = frameOf(proposal);
  $("frame").src = $("context-frame").src = frame;
  $("frame").alt = `Frame ${proposal.frame} of clip ${proposal.clip_id}`;
  $("cut").hidden = $("context-cut").hidden = true;
  $("cut-note").textContent = "is being cut …";
  // Who leafs through asks for nothing: a cut takes the server a second.
  await new Promise((done) => setTimeout(done, PATIENCE_MS));
  const matte = mine.signal.aborted ? null : await matteOf(proposal, mine.signal);
  if (!matte || mine.signal.aborted) return;
  if (matte.reason || matte.trouble) {
    $("cut-note").textContent = matte.trouble ?? `alpha not identifiable: ${matte.reason.replaceAll("_", " ")}`;
    return;
  }
  $("cut-note").textContent = `box of the detector, expected alpha error ${matte.error.toFixed(2)}`;
  $("cut").src = $("context-cut").src = `/api/cut/${proposal.id}.png`;
  const [x, y, w, h] = matte.box;
  Object.assign($("context-cut").style, {
    left: `${(100 * x) / FRAME[0]}%`, top: `${(100 * y) / FRAME[1]}%`,
    width: `${(100 * w) / FRAME[0]}%`, height: `${(100 * h) / FRAME[1]}%`,
  });
  $("cut").hidden = $("context-cut").hidden = false;
}

/** Have the server make a picture before it is needed. */
export function warm(proposal) {
  new Image().src = frameOf(proposal);
}

function frameOf(proposal) {
  return `/api/frame/${proposal.picture}.png`;
}

async function matteOf(proposal, signal) {
  try {
    const response = await fetch(`/api/matte/${proposal.id}`, { signal });
    const answer = await response.json();
    return response.ok ? answer : { trouble: answer.error };
  } catch {
    return { trouble: "the server does not answer" };
  }
}
