#pragma once

#include "tests/unit/studio/bridge/queue_bench.hpp"

namespace lowtide::ui {

inline constexpr int kQuickCopies = 1500;
inline constexpr int kQuickSide = 512;

/// Each of its runs is over at once, with an image and a long report. Unlike a ScriptedRunner it
/// keeps nothing of them.
class QuickRunner final : public Runner {
public:
    QuickRunner() {
        Json report = {{"status", "ok"}, {"executed", 1}, {"timeline", Json::array()}};
        for (int i = 0; i < kQuickCopies; ++i) {
            report["timeline"].push_back({{"what", "copy"},
                                          {"device", "cpu"},
                                          {"subject", "a leaf of the denoiser"},
                                          {"bytes", 3},
                                          {"t", i * 1e-3}});
        }
        report_ = report.dump();
        auto pixels = std::make_shared<uint8_t[]>(size_t{3} * kQuickSide * kQuickSide);
        image_ = {
            .widthPixels = kQuickSide, .heightPixels = kQuickSide, .channels = 3, .pixels = pixels};
    }

    Status check(std::string_view, std::string_view, std::string& result) noexcept override {
        return answer(result);
    }

    Status plan(std::string_view, std::string_view, std::string& result) noexcept override {
        return answer(result);
    }

    Status start(std::string_view,
                 std::string_view,
                 Observer& observer,
                 RunId& run,
                 std::string& result) noexcept override {
        run = ++last_;
        observer.event(R"({"event": "runStarted", "nodes": ["a"], "repetitions": 1})");
        observer.preview(run, "a", image_);
        observer.event(R"({"event": "runFinished", "status": "ok"})");
        return answer(result);
    }

    Status cancel(RunId, CancelMode) noexcept override { return Status::Invalid; }

    Status wait(RunId, std::string& result) noexcept override {
        result = report_;
        return Status::Ok;
    }

    Status memory(std::string& result) noexcept override { return answer(result); }

    Status release(std::string_view) noexcept override { return Status::Ok; }

    Status devices(std::string& result) noexcept override { return answer(result); }

    Status stop() noexcept override { return Status::Ok; }

private:
    static Status answer(std::string& result) {
        result = R"({"issues": []})";
        return Status::Ok;
    }

    std::string report_;
    Image8 image_;
    RunId last_ = 0;
};

inline void runMany(RunQueue& queue, int count) {
    for (int i = 0; i < count; ++i) {
        waitUntilEnded(queue, queue.add("title", std::string(20'000, 'x'), Json::object()));
    }
}

}  // namespace lowtide::ui
