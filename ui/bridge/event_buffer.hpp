#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/node_picture.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace lowtide::ui {

/// Takes what the module says of one run, and keeps it in bounded memory until it is fetched: of
/// what a slow host may miss only the newest stays. No side waits for another. Any thread.
class EventBuffer final : public Observer {
public:
    /// More than these between two fetches are counted as lost; runFinished never is.
    static constexpr size_t kMostEvents = 20000;
    /// Longest side of a picture that is fetched.
    static constexpr int kPicturePixels = 512;
    /// Most bytes of a larger picture that is kept beside it.
    static constexpr qsizetype kWholeBytes = 64 << 20;

    void event(std::string_view json) noexcept override;
    void preview(RunId run, std::string_view node, const Image8& picture) noexcept override;

    struct Batch {
        std::vector<Json> events;
        std::map<std::string, NodePicture> pictures;  ///< by node, the newest
        size_t lost = 0;
    };

    [[nodiscard]] Batch fetch();

    /// Turns previews into pictures as they come, until stopPictures() and none is left.
    void makePictures() noexcept;
    void stopPictures();

private:
    /// As its nodePreview announced it.
    struct Preview {
        Image8 picture;
        std::optional<PictureStep> step;
        int scale = 1;
    };

    [[nodiscard]] static Preview announcedBy(const Json& event);
    [[nodiscard]] static NodePicture shownOf(const Preview& preview);
    void store(std::string_view json);
    void storeInOrder(Json event);
    void storeNewest(Json event);
    void makePicture(const std::string& node, const Preview& preview);
    void countLost();

    std::mutex mutex_;
    std::condition_variable changed_;
    Batch batch_;
    std::map<std::string, size_t> newest_;      ///< place in the batch by kind and node
    std::map<std::string, Preview> announced_;  ///< by node; without pixels
    std::map<std::string, Preview> previews_;   ///< by node
    bool isStopped_ = false;
};

}  // namespace lowtide::ui
