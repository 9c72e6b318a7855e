#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

namespace lowtide::sampling {

/// A tensor and when it was computed.
struct Observation {
    double time = 0;
    at::Tensor value;
};

/// The newest observations of a pass, at most a given number, oldest first.
class Observations {
public:
    explicit Observations(size_t most) : most_(most) {}

    [[nodiscard]] size_t size() const { return entries_.size(); }

    [[nodiscard]] const Observation& operator[](size_t index) const { return entries_[index]; }

    [[nodiscard]] const Observation& newest() const { return entries_.back(); }

    /// Appends and forgets the oldest; takes the newest's place when it has its time.
    void push(double time, const at::Tensor& value);

    /// Forgets what the next push() of a new time pushes out.
    void makeRoom();

    [[nodiscard]] std::vector<double> times() const;
    [[nodiscard]] std::vector<at::Tensor> values() const;

private:
    size_t most_;
    std::vector<Observation> entries_;
};

}  // namespace lowtide::sampling
