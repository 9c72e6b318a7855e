#pragma once
// What streams through a component's ring buffer and when, and when its residents arrive between:
// in a run and in a plan alike.

#include "plugin/memory/layout.hpp"
#include "plugin/memory/stage_work.hpp"

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lowtide::memory {

/// What the copy queue is given, in this order, before a group can be read.
struct StreamStep {
    enum class Kind : uint8_t { Evict, Bring };
    Kind kind = Kind::Bring;
    GroupId group = 0;
    Bytes offset = 0;  ///< in the ring buffer
};

/// Decides what streams through a component's ring buffer and when. Pure: the same calls give the
/// same steps, in a run and in a plan. Groups come in the order of the last forward of the same
/// pattern, into the next bytes of the ring buffer, over groups that the forward has left behind;
/// whatever else is asked for comes on demand. A group that is leased or in use is never evicted.
class GroupStream {
public:
    /// The layout must outlive it. After `forwards` forwards nothing more is copied ahead; 0: their
    /// number is not known.
    GroupStream(const Layout& layout, int64_t forwards);

    void beginForward(const ForwardHint& hint);
    /// Makes space for and brings what reading `groups` now needs, those of one leaf, then what
    /// comes after them where the layout copies ahead. They are in use together until the next
    /// call. Empty when there is nothing to do; nullopt when leases and `groups` themselves hold
    /// all the space, and the ring buffer is as it was.
    [[nodiscard]] std::optional<std::vector<StreamStep>> use(std::span<const GroupId> groups);
    /// The same into `steps`, which it clears first; false where `use` gives nullopt.
    [[nodiscard]] bool use(std::span<const GroupId> groups, std::vector<StreamStep>& steps);
    void lease(GroupId group);
    void release(GroupId group);
    /// Brings what the forward will need first, where the layout copies ahead and space is free.
    [[nodiscard]] std::vector<StreamStep> prefetch();
    /// A group is gone from the ring buffer.
    void forget(GroupId group);
    /// Everything in the ring buffer is gone.
    void clear();

    /// Where the group lies in the ring buffer; nullopt when it is not there.
    [[nodiscard]] std::optional<Bytes> offsetOf(GroupId group) const;

    [[nodiscard]] bool isLeased(GroupId group) const { return leases_[group] > 0; }

    /// Uses of a group that should have been copied ahead and was not.
    [[nodiscard]] int64_t misses() const { return misses_; }

private:
    struct Slot {
        Bytes offset = 0;
        bool isSpent = false;  ///< the forward has left it behind
    };

    struct RingBuffer {
        std::vector<std::optional<Slot>> slots;  ///< per group, while in the ring buffer
        std::vector<GroupId> groups;             ///< oldest first
        Bytes head = 0;                          ///< behind the newest
    };

    enum class Force : uint8_t { SpentOnly, Unleased };
    using Steps = std::vector<StreamStep>;

    [[nodiscard]] std::vector<GroupId> streamingOf(std::span<const GroupId> groups) const;
    void moveTo(std::span<const GroupId> groups);
    void follow(GroupId group);
    void spend(GroupId group);
    [[nodiscard]] const std::vector<GroupId>& order() const;
    bool bringCurrent(Steps& steps);
    [[nodiscard]] std::optional<Bytes> findSpace(GroupId group, Force force) const;
    [[nodiscard]] bool overlaps(GroupId inRingBuffer, Bytes offset, Bytes bytes) const;
    [[nodiscard]] bool isFree(Bytes offset, Bytes bytes, Force force) const;
    [[nodiscard]] bool isCurrent(GroupId group) const;
    [[nodiscard]] bool mayEvict(GroupId group, Force force) const;
    bool makeFewer(Force force, Steps& steps);
    bool bring(GroupId group, Force force, Steps& steps);
    void evict(GroupId group, Steps& steps);
    void bringAhead(Steps& steps);

    const Layout& layout_;
    RingBuffer ringBuffer_;
    std::vector<int> leases_;
    int64_t forwardsLeft_;  ///< after this one; negative: not known
    ForwardHint forward_;
    std::map<uint32_t, std::vector<GroupId>> orders_;  ///< what streams, by pattern, as last seen
    std::vector<GroupId> seen_;                        ///< in this forward
    size_t next_ = 0;                                  ///< position in order() after what is in use
    std::vector<GroupId> current_;                     ///< in use, those that stream
    std::vector<GroupId> asked_;                       ///< that are to be in use
    int64_t misses_ = 0;
};

/// Residents of a component that arrives, in the order in which a forward uses them: each comes
/// before what streams and is used after it, so that the first forward waits for nothing that it
/// needs later. Pure: the same calls give the same residents, in a run and in a plan.
class UploadOrder {
public:
    explicit UploadOrder(const Layout& layout);

    /// The component arrives again.
    void begin() noexcept { next_ = 0; }

    /// Residents that were not given yet and that a forward uses before `group`, which streams.
    [[nodiscard]] std::span<const GroupId> before(GroupId group);
    /// The rest of them behind the last group of a forward that streams; behind others none.
    [[nodiscard]] std::span<const GroupId> after(GroupId group);
    /// Those of a forward that were not given yet.
    [[nodiscard]] std::span<const GroupId> rest();

private:
    std::optional<GroupId> last_;     ///< that streams
    std::vector<GroupId> residents_;  ///< in the order of their first use
    std::vector<size_t> earlier_;     ///< per group: how many of them a forward uses before it
    size_t next_ = 0;                 ///< of the residents
};

}  // namespace lowtide::memory
