#pragma once

#include "plugin/memory/access_pattern.hpp"
#include "plugin/memory/layout.hpp"

#include <map>
#include <optional>
#include <vector>

namespace lowtide::memory {

/// What the copy lane is told, in this order, before a group can be read.
struct StreamStep {
    enum class Kind : uint8_t { Evict, Bring };
    Kind kind = Kind::Bring;
    GroupId group = 0;
    Bytes offset = 0;  ///< in the ring
};

/// Decides what streams through a component's ring and when. Pure: the same calls give the same
/// steps, in a run and in a plan. Groups come in the order of the last pass of the same pattern,
/// into the next bytes of the ring, over groups that the pass has left behind; whatever else is
/// asked for comes on demand. A leased group is never evicted.
class GroupStream {
public:
    /// The layout must outlive it. After `passes` passes nothing more is copied ahead; 0: their
    /// number is not known.
    GroupStream(const Layout& layout, int64_t passes);

    void beginPass(const PassHint& hint);
    /// Makes room for and brings what reading `group` now needs, then what comes after it where the
    /// layout copies ahead. Empty when there is nothing to do; nullopt when groups that are leased
    /// hold all the room, and nothing was changed.
    [[nodiscard]] std::optional<std::vector<StreamStep>> use(GroupId group);
    void lease(GroupId group);
    void release(GroupId group);
    /// Brings what the pass will need first, where the layout copies ahead and room is free.
    [[nodiscard]] std::vector<StreamStep> prefetch();
    /// A group is gone from the ring.
    void forget(GroupId group);
    /// Everything in the ring is gone.
    void clear();

    /// Where the group lies in the ring; nullopt when it is not there.
    [[nodiscard]] std::optional<Bytes> offsetOf(GroupId group) const;

    [[nodiscard]] bool isLeased(GroupId group) const { return leases_[group] > 0; }

    /// Uses of a group that should have been copied ahead and was not.
    [[nodiscard]] int64_t misses() const { return misses_; }

private:
    struct Slot {
        Bytes offset = 0;
        bool isSpent = false;  ///< the pass has left it behind
    };

    enum class Force : uint8_t { SpentOnly, Unleased };
    using Steps = std::vector<StreamStep>;

    void moveTo(GroupId group);
    [[nodiscard]] const std::vector<GroupId>& order() const;
    [[nodiscard]] std::optional<Bytes> findRoom(GroupId group, Force force) const;
    [[nodiscard]] bool overlaps(GroupId inRing, Bytes offset, Bytes bytes) const;
    [[nodiscard]] bool isFree(Bytes offset, Bytes bytes, Force force) const;
    [[nodiscard]] bool mayEvict(GroupId group, Force force) const;
    bool makeFewer(Force force, Steps& steps);
    bool bring(GroupId group, Force force, Steps& steps);
    void evict(GroupId group, Steps& steps);
    void bringAhead(Steps& steps);

    const Layout& layout_;
    std::vector<std::optional<Slot>> slots_;  ///< per group, while in the ring
    std::vector<GroupId> inRing_;             ///< oldest first
    std::vector<int> leases_;
    Bytes head_ = 0;
    int64_t passesLeft_;  ///< after this one; negative: not known
    PassHint pass_;
    std::map<uint32_t, std::vector<GroupId>> orders_;  ///< by pattern, as last seen
    std::vector<GroupId> seen_;                        ///< in this pass
    size_t cursor_ = 0;                                ///< of the group in use, in order()
    std::optional<GroupId> current_;
    int64_t misses_ = 0;
};

}  // namespace lowtide::memory
