#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/files/input_file.hpp"

#include <QString>

#include <functional>
#include <string>

namespace lowtide::ui {

/// What a file hashed to.
struct HashedModel {
    std::string sha256;              ///< 64 hexadecimal digits; empty: see `problem`
    std::string problem;             ///< why not; empty where it was cancelled
    files::FileIdentity identity{};  ///< of the file that was read
};

/// SHA-256 of a whole file, as sha256sum prints it. `progress` gets the share that is done, 0 to 1,
/// at most a hundred times. Any thread; takes seconds for gigabytes.
[[nodiscard]] HashedModel hashModel(const std::string& path,
                                    const StopToken& stop,
                                    const std::function<void(double)>& progress);

/// The first ten digits, by which web sites and A1111 name a model (AutoV2).
[[nodiscard]] std::string autoV2(const std::string& sha256);

}  // namespace lowtide::ui
