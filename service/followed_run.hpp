#pragma once
// A run from its start to its end, for programs that show its events; the module's answers.

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::service {

/// What the module gave.
struct Answer {
    Status status = Status::Failed;
    Json result;
};

/// Of a function of Runner: `ask` hands it the text that it fills.
[[nodiscard]] Answer answerOf(const std::function<Status(std::string&)>& ask);
/// Plugin::call with its JSON; docs/calls.md has the names.
[[nodiscard]] Answer call(Plugin& plugin,
                          const char* name,
                          const Json& request,
                          Watch* watch = nullptr);

/// An event as the module wrote it, or an image of a node.
struct RunNews {
    std::string event;  ///< empty: it is an image
    std::string node{};
    Image8 image{};
};

/// Takes events and images from the module's thread and hands them to another one. Where that is
/// slower, those that report what the next one reports again (progress, memory, images) are left
/// out.
class EventQueue final : public Observer {
public:
    static constexpr size_t kMostWaiting = 4096;
    static constexpr size_t kMostImages = 32;

    /// `takesImages`: else they are left out, and not counted.
    explicit EventQueue(bool takesImages = false) : takesImages_(takesImages) {}

    void event(std::string_view json) noexcept override;
    void preview(RunId run, std::string_view node, const Image8& image) noexcept override;

    /// The next one, or nothing after `patience`.
    [[nodiscard]] std::optional<RunNews> next(std::chrono::milliseconds patience);

    /// How many were left out until now.
    [[nodiscard]] size_t missedCount() const;

private:
    void put(RunNews news) noexcept;

    const bool takesImages_;
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<RunNews> waiting_;
    size_t imageCount_ = 0;
    size_t missed_ = 0;
};

/// Whether an event reports what the next one of its kind reports again.
[[nodiscard]] bool mayBeMissed(std::string_view event);

/// What a program does while a run is at work, on the thread of runToEnd.
class RunFollower {
public:
    virtual ~RunFollower() = default;
    /// The module took the graph; warnings about it.
    virtual void accepted(const Json& issues) = 0;
    virtual void event(const std::string& text, const Json& event) = 0;

    /// Whether image() is called.
    [[nodiscard]] virtual bool takesImages() const { return false; }

    virtual void image(const std::string& /*node*/, const Image8& /*image*/) {}

    /// Asked many times a second.
    [[nodiscard]] virtual CancelMode cancelMode() = 0;

    /// So many events were left out.
    virtual void missed(size_t /*count*/) {}
};

/// Runs a graph to its end. The result is the report, or the issues that refused the run. Within a
/// memory budget, of the options or the graph, the process gives big blocks back from here on.
[[nodiscard]] Answer runToEnd(Runner& runner,
                              const std::string& graph,
                              const Json& options,
                              RunFollower& follower);

}  // namespace lowtide::service
