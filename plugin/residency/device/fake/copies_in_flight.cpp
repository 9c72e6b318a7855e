#include "plugin/residency/device/fake/copies_in_flight.hpp"

#include <algorithm>

namespace lowtide::residency {

CopiesInFlight::Entry::Entry(CopiesInFlight& copies, const std::byte* target, Bytes bytes)
    : copies_(copies) {
    const std::byte* end = target + bytes;
    const std::lock_guard lock(copies_.mutex_);
    isAlone_ =
        std::none_of(copies_.targets_.begin(), copies_.targets_.end(), [&](const auto& other) {
            return other.first < end && target < other.second;
        });
    place_ = copies_.targets_.insert(copies_.targets_.end(), {target, end});
}

CopiesInFlight::Entry::~Entry() {
    const std::lock_guard lock(copies_.mutex_);
    copies_.targets_.erase(place_);
}

}  // namespace lowtide::residency
