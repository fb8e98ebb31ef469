/** Before each file of tests. Effects run at once: a frame asked for would come when the page is gone already. */
import { options } from "preact";

options.requestAnimationFrame = (callback) => queueMicrotask(callback);
