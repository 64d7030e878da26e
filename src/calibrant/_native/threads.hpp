// Threads that share one piece of work.
#pragma once

namespace calibrant {

// Calls work(context, 0) here and work(context, 1), … on up to `threads` − 1 further threads, and
// returns when all have ended. Fewer are called where the system starts no more threads: `work`
// takes what to do next from a counter that all share, and must not throw.
//
// A function pointer, so that files compiled for one instruction set instantiate no std::thread
// that the linker might give to others.
void share_work(int threads, void (*work)(void *context, int thread), void *context);

} // namespace calibrant
