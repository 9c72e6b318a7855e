#pragma once

#include "plugin/executor/events.hpp"
#include "plugin/memory/ledger.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace lowtide::executor {

/// Calls observers from a thread of its own, in the order of the events and without a lock held, so
/// a slow observer delays nobody's run and may call back. While a run is live, tells the ledger
/// five times a second.
class Notifier {
public:
    explicit Notifier(memory::Ledger& ledger);
    /// As stop().
    ~Notifier();
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;

    /// Passing events are left out while the observer is far behind. `delivered` is called after
    /// the observer.
    void post(Observer& observer,
              RunId run,
              const Event& event,
              std::function<void()> delivered = {});
    void post(Observer& observer, RunId run, std::string_view node, const Image8& picture);
    /// Memory events of `run` until its RunFinished is posted.
    void beginMemory(Observer& observer, RunId run, std::string device);
    [[nodiscard]] bool isOwnThread() const;
    /// Delivers what is queued, then joins. Does nothing on its own thread.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    struct Message {
        Observer* observer = nullptr;
        RunId run = 0;
        std::string text;  ///< of an event
        std::string node;  ///< of a picture
        std::optional<Image8> picture;
        std::function<void()> delivered;
    };

    struct Live {
        Observer* observer = nullptr;
        RunId run = 0;
        std::string device;
        Clock::time_point next;
    };

    void work();
    std::optional<Message> next();
    void push(Message message);

    memory::Ledger& ledger_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Message> queue_;
    std::optional<Live> live_;
    bool stopping_ = false;
    std::thread thread_;  ///< last: starts when the rest stands
};

}  // namespace lowtide::executor
