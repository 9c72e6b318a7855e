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

}  // namespace lowtide::cli
