#pragma once

#include "service/folders.hpp"
#include "service/http.hpp"

#include <mutex>
#include <optional>
#include <string>

namespace lowtide::service {

/// ComfyUI's routes for files: uploads, images, what clients keep, settings, models.
class ComfyFiles {
public:
    /// Both must outlive it.
    ComfyFiles(const ServiceFolders& folders, Router& router);

    /// The folder that clients call "input", "output" or "temp"; nothing: another word.
    [[nodiscard]] std::optional<std::string> folderOf(const std::string& type) const;

private:
    void addUserData(Router& router);
    void addModels(Router& router);
    [[nodiscard]] Response viewed(const Request& request) const;
    [[nodiscard]] Response uploaded(const Request& request, bool isMask);
    [[nodiscard]] Response listed(const Request& request) const;
    [[nodiscard]] Response written(const Request& request, const std::string& name);
    [[nodiscard]] Response moved(const Request& request,
                                 const std::string& from,
                                 const std::string& to);
    [[nodiscard]] Response removed(const std::string& name);
    /// Under the lock.
    [[nodiscard]] Json settings() const;
    void keepSettings(const Json& more);

    const ServiceFolders& folders_;
    mutable std::mutex mutex_;  ///< of what clients keep
};

}  // namespace lowtide::service
