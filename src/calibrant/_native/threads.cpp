#include "threads.hpp"

#include <system_error>
#include <thread>
#include <vector>

namespace calibrant {
namespace {

// Joins its threads, because destroying an unjoined std::thread terminates the process.
class JoiningThreads {
  public:
    explicit JoiningThreads(int capacity) { threads_.reserve(capacity); }
    ~JoiningThreads() {
        for (std::thread &thread : threads_) thread.join();
    }
    JoiningThreads(const JoiningThreads &) = delete;
    JoiningThreads &operator=(const JoiningThreads &) = delete;

    template <class... Arguments> void start(Arguments... arguments) {
        threads_.emplace_back(arguments...);
    }

  private:
    std::vector<std::thread> threads_;
};

} // namespace

void share_work(int threads, void (*work)(void *, int), void *context) {
    JoiningThreads others(threads - 1);
    try {
        for (int thread = 1; thread < threads; ++thread) others.start(work, context, thread);
    } catch (const std::system_error &) {
        // the system starts no more threads: the existing ones do the work
    }
    work(context, 0);
}

} // namespace calibrant
