#include "plugin/memory/device_profile.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <cmath>

namespace lowtide::fuzz::profile_target {

using namespace memory;

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    MeasuredProfile measured;
    const bool isTaken = takes({ErrorKind::Corrupt}, [&] {
        measured = readMeasuredProfile(parseJson(text, "profiles.json"), "profiles.json");
    });
    if (!isTaken) {
        return false;
    }
    const MeasuredProfile again = readMeasuredProfile(toJson(measured), "again");
    require(again.key == measured.key && again.profile == measured.profile,
            "a written profile is the one that was read");
    const Seconds seconds = measured.profile.copySeconds(Bytes{1} << 40, Bytes{1} << 39) +
                            measured.profile.mappedSeconds(Bytes{1} << 40);
    require(std::isfinite(seconds) && seconds >= 0, "a predicted time is a time");
    return true;
}

[[maybe_unused]] const bool isEntered = enterTarget("profile", runInput);

}  // namespace lowtide::fuzz::profile_target
