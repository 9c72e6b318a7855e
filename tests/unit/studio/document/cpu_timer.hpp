#pragma once

#include <ctime>

namespace lowtide::testing {

/// Measures what this program computes; programs that compute beside it do not count.
class CpuTimer {
public:
    void restart() { start_ = std::clock(); }

    [[nodiscard]] double milliseconds() const {
        return static_cast<double>(std::clock() - start_) * 1000 / CLOCKS_PER_SEC;
    }

private:
    std::clock_t start_ = std::clock();
};

}  // namespace lowtide::testing
