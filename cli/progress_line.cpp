#include "cli/progress_line.hpp"

#include "cli/os.hpp"
#include "plugin/base/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace lowtide::cli {

namespace {

constexpr size_t kColumns = 79;
constexpr int kBarCells = 24;

std::string timeLeft(const Json& event) {
    const auto eta = event.find("eta");
    if (eta == event.end() || !eta->is_number()) {
        return {};
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "  %.1f s left", eta->get<double>());
    return text.data();
}

}  // namespace

std::string progressText(const Json& event, size_t width) {
    const double done = event.value("done", 0.0);
    const double total = event.value("total", 0.0);
    const double fraction = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0.0;
    const auto filled = static_cast<int>(std::lround(fraction * kBarCells));
    std::array<char, 200> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%-10.24s %-8.12s [%s%s] %.0f/%.0f%s",
                  event.value("node", std::string()).c_str(),
                  event.value("phase", std::string()).c_str(),
                  std::string(static_cast<size_t>(filled), '#').c_str(),
                  std::string(static_cast<size_t>(kBarCells - filled), '.').c_str(),
                  done,
                  total,
                  timeLeft(event).c_str());
    return std::string(text.data()).substr(0, width);
}

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
        draw(progressText(event, kColumns));
    }
}

}  // namespace lowtide::cli
