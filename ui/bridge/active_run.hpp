#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/node_status.hpp"

#include <QString>

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::ui {

/// Of an event nodeProgress: "step 3 of 20", as the node calls its units.
[[nodiscard]] QString phaseText(const Json& event);
/// The seconds until the phase of the same event ends; empty: the node does not report them.
[[nodiscard]] std::optional<double> secondsLeftIn(const Json& event);

/// Milliseconds that nodes took when they last executed, by id.
using NodeTimes = std::map<std::string, double>;

/// How far a run is, from its events: nodes count by the time that they took last time, those that
/// nobody measured like the average one.
class RunProgress {
public:
    explicit RunProgress(NodeTimes times = {}) : times_(std::move(times)) {}

    void take(const Json& event);

    /// 0 to 1; never less than before.
    [[nodiscard]] double value() const { return value_; }

private:
    [[nodiscard]] double weightOf(const std::string& node) const;
    void setDone(const std::string& node, double fraction);

    NodeTimes times_;
    double average_ = 1;
    double whole_ = 0;
    double ended_ = 0;  ///< weight of evaluations that are over
    std::map<std::string, double> running_;
    double value_ = 0;
};

/// Takes what the module reports about one run, and keeps it in bounded memory until it is
/// fetched: of what a slow host may miss only the newest is kept. Neither side waits for the other.
/// Any thread.
class EventBuffer final : public Observer {
public:
    /// More than these between two fetches are counted as lost; runFinished never is.
    static constexpr size_t kMostEvents = 20000;
    /// Longest side of an image that is fetched.
    static constexpr int kImagePixels = 512;
    /// Most bytes of a larger image that is kept next to it.
    static constexpr qsizetype kWholeBytes = 64 << 20;

    void event(std::string_view json) noexcept override;
    void preview(RunId run, std::string_view node, const Image8& nodeImage) noexcept override;

    struct Batch {
        std::vector<Json> events;
        std::map<std::string, NodeImage> images;  ///< by node, the newest
        size_t lost = 0;
    };

    [[nodiscard]] Batch fetch();

    /// Turns previews into images as they come, until stopImages() and none is left.
    void makeImages() noexcept;
    void stopImages();

private:
    /// As its nodePreview announced it.
    struct Preview {
        Image8 nodeImage;
        std::optional<ImageStep> step;
        int scale = 1;
    };

    [[nodiscard]] static Preview announcedBy(const Json& event);
    [[nodiscard]] static NodeImage shownOf(const Preview& preview);
    void store(std::string_view json);
    void storeInOrder(Json event);
    void storeNewest(Json event);
    void makeImage(const std::string& node, const Preview& preview);
    void countLost();

    std::mutex mutex_;
    std::condition_variable changed_;
    Batch batch_;
    std::map<std::string, size_t> newest_;      ///< place in the batch by kind and node
    std::map<std::string, Preview> announced_;  ///< by node; without pixels
    std::map<std::string, Preview> previews_;   ///< by node
    bool isStopped_ = false;
};

/// The run that the module has, shared by the thread that waits for it and the GUI thread, which
/// may cancel it at any moment: before, while and after it is started.
class ActiveRun {
public:
    struct Result {
        Status status = Status::Failed;
        std::string text;  ///< the report, or the issues that refused it
        bool hasBegun = false;
    };

    EventBuffer& buffer() { return buffer_; }

    /// Starts the run and returns when the module reports that it is over.
    [[nodiscard]] Result carryOut(Runner& runner,
                                  const std::string& graph,
                                  const std::string& options);
    /// Does not wait.
    void cancel(Runner& runner, CancelMode mode);

private:
    [[nodiscard]] bool isCancelled();
    void setStarted(Runner& runner, RunId run);

    EventBuffer buffer_;
    std::mutex mutex_;
    CancelMode asked_ = CancelMode::No;
    bool isStarted_ = false;
    RunId run_ = 0;
};

}  // namespace lowtide::ui
