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
    /// The event, then its picture; that is left out while the observer is behind. Of pictures of
    /// steps one is on its way at a time, others are left out with their events: its bytes stand in
    /// the ledger until the observer has had it.
    void post(Observer& observer, RunId run, const NodePreview& event, const Image8& picture);
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
        std::string node;  ///< of a picture, which goes behind it
        std::optional<Image8> picture;
        bool isOfStep = false;  ///< the picture
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
    void deliver(const Message& message);

    memory::Ledger& ledger_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Message> queue_;
    std::optional<Live> live_;
    bool stopping_ = false;
    bool hasStepOnWay_ = false;  ///< a picture of a step
    std::thread thread_;         ///< last: starts when the rest stands
};

}  // namespace lowtide::executor
