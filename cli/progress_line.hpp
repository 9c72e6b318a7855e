#pragma once

#include "plugin/base/json_fwd.hpp"

#include <string>

namespace lowtide::cli {

/// One line on a terminal's standard error: node, phase, bar, step, time left. Silent when there is
/// no terminal.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const Json& event);

private:
    void draw(const std::string& text);

    bool terminal_;
    bool drawn_ = false;
};

/// "denoise   step  [##########..........]  10/20  2.4 s left"; `width` columns at most.
[[nodiscard]] std::string progressText(const Json& event, size_t width);

}  // namespace lowtide::cli
