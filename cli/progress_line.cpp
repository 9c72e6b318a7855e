#include "cli/progress_line.hpp"

#include "cli/os.hpp"
#include "cli/printed_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lowtide::cli {

namespace {

constexpr size_t kColumns = 79;
constexpr int kBarCells = 24;

std::string timeLeft(const Json& event) {
    const auto eta = event.find("eta");
    const bool isKnown = eta != event.end() && eta->is_number();
    return isKnown ? formatted("  %.1f s left", eta->get<double>()) : std::string();
}

/// "denoise   step  [##########..........]  10/20  2.4 s left"; kColumns at most.
std::string progressText(const Json& event) {
    const double done = event.value("done", 0.0);
    const double total = event.value("total", 0.0);
    const double fraction = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0.0;
    const auto filled = static_cast<int>(std::lround(fraction * kBarCells));
    const std::string text =
        formatted("%-10.24s %-8.12s [%s%s] %.0f/%.0f%s",
                  event.value("node", std::string()).c_str(),
                  event.value("phase", std::string()).c_str(),
                  std::string(static_cast<size_t>(filled), '#').c_str(),
                  std::string(static_cast<size_t>(kBarCells - filled), '.').c_str(),
                  done,
                  total,
                  timeLeft(event).c_str());
    return text.substr(0, kColumns);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(errorIsTerminal()) {}

ProgressLine::~ProgressLine() {
    if (drawn_) {
        std::fprintf(stderr, "\r\033[K");
    }
}

void ProgressLine::draw(const std::string& text) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    drawn_ = true;
}

void ProgressLine::show(const Json& event) {
    if (!terminal_) {
        return;
    }
    const std::string name = event.value("event", std::string());
    if (name == "nodeStarted") {
        draw(event.value("node", std::string()) + " ...");
    } else if (name == "nodeProgress") {
        draw(progressText(event));
    }
}

}  // namespace lowtide::cli
