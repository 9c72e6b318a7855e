#pragma once
// The clock of a plan: what the forwards over a layout take, and which of several layouts is the
// best.

#include "plugin/base/units.hpp"
#include "plugin/memory/device_profile.hpp"
#include "plugin/memory/group_stream.hpp"
#include "plugin/memory/layout.hpp"
#include "plugin/memory/stage_work.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace lowtide::memory {

/// One use of groups in a forward, those of a leaf, and how long compute takes with them.
struct GroupUse {
    std::span<const GroupId> groups;  ///< of the layout
    Seconds compute = 0;
};

/// What uses of a layout take on a clock with one compute queue and one copy queue.
struct StreamTimes {
    Seconds total = 0;
    Seconds compute = 0;  ///< of all passes, alone
    Seconds copy = 0;     ///< of all copies, alone
    Bytes moved = 0;      ///< to the device
    int64_t misses = 0;
};

/// Host memory that is pinned for what streams.
struct PinnedSpace {
    Bytes most = 0;    ///< that the residency may pin
    Bytes filled = 0;  ///< of them: with what an earlier residency read
};

/// Plays a residency without sleeping or copying: copies in order, each after the last use of what
/// it overwrites; compute in order, each use after its group has arrived. Copies slow compute by
/// what they take of it, and what arrives is changed by its adapters before its first use. What is
/// pinned is read once, and then comes as fast as the bus is.
class StreamClock {
public:
    /// `forwards` over the layout in all. Layout and profile must outlive the clock.
    StreamClock(const Layout& layout,
                int64_t forwards,
                const DeviceProfile& profile,
                PinnedSpace pinned = {});

    /// What comes when the component arrives: what streams first, and residents in the order of
    /// their use, where copies run ahead each before what streams behind it. `isWhole`: also those
    /// that no forward uses, and all before the first forward.
    void upload(bool isWhole);
    /// Nothing of it is there any more; forwards and times go on.
    void leave();
    void runForward(const std::vector<GroupUse>& forward, const ForwardHint& hint = {});
    /// So far.
    [[nodiscard]] StreamTimes times() const;

private:
    void take(const std::vector<StreamStep>& steps);
    void bringResidents(std::span<const GroupId> groups);
    void bringResident(GroupId group);
    void copy(GroupId group);
    [[nodiscard]] Seconds secondsOfCopy(GroupId group);

    const Layout& layout_;
    const DeviceProfile& profile_;
    GroupStream stream_;
    UploadOrder uploadOrder_;
    std::vector<bool> isThere_;   ///< residents
    std::vector<bool> isPinned_;  ///< what streams, from its first copy on
    std::vector<bool> isFilled_;  ///< of them: its first copy is done
    std::vector<Seconds> ready_;
    std::vector<Seconds> lastUse_;
    std::vector<Seconds> changes_;   ///< of what has arrived since its last use
    std::vector<StreamStep> steps_;  ///< of the use that it plays
    Seconds copyFree_ = 0;
    Seconds computeFree_ = 0;
    StreamTimes times_;
};

/// The uses of one forward under `layout`, neighbours with the same groups as one. The layout's
/// leaves must outlive them.
[[nodiscard]] std::vector<GroupUse> groupUses(const Layout& layout,
                                              const AccessPattern& forward,
                                              const DeviceProfile& profile);

/// What the forwards of a stage use, by pattern; as groupUses().
class ForwardUses {
public:
    ForwardUses(const Layout& layout, const ComponentWork& work, const DeviceProfile& profile);

    [[nodiscard]] const std::vector<GroupUse>& of(uint32_t pattern) const;

private:
    std::map<uint32_t, std::vector<GroupUse>> uses_;
};

/// Runs the first `forwards` of the stage's.
void runForwards(StreamClock& clock,
                 const ForwardUses& uses,
                 const ComponentWork& work,
                 int64_t forwards);

/// What one way to lay components out takes, as predicted.
struct ChoiceCost {
    Seconds seconds = 0;
    double moved = 0;  ///< bytes to the device
};

/// The one that moves least among those that take the shortest time. Of equals the first; the list
/// is not empty.
[[nodiscard]] size_t bestChoice(const std::vector<ChoiceCost>& choices);

}  // namespace lowtide::memory
