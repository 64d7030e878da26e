// Threads that share one piece of work.
#pragma once

namespace calibrant {

// Calls work(context, 0) here and work(context, 1), … on up to `threads` − 1 further threads, and
// returns when all have ended. Fewer are called if the system starts no more threads: `work` takes
// its next task from a shared counter, and must not throw.
//
// A function pointer, so that files compiled for one instruction set instantiate no std::thread
// that the linker might use for other files.
void share_work(int threads, void (*work)(void *context, int thread), void *context);

} // namespace calibrant
