#pragma once

#include "plugin/residency/device/device.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace lowtide::residency {

/// A point in the order of one of a card's streams.
class CardPoint {
public:
    virtual ~CardPoint() = default;
};

using CardPointRef = std::shared_ptr<const CardPoint>;

/// The two streams of a card: the one that computes, and one that copies. Nothing here waits on the
/// host unless it says so. The seam between the order of copies, which is tested everywhere, and
/// the runtime of a card.
class CardStreams {
public:
    virtual ~CardStreams() = default;

    /// `source` is pinned, and stays as it is until a point behind this.
    virtual void copyIn(const Crossing& crossing, const std::byte* source) = 0;
    /// Writes NaN, on the copying stream.
    virtual void spoil(std::byte* target, Bytes bytes) = 0;

    /// What was given to the copying stream until now.
    [[nodiscard]] virtual CardPointRef markCopy() = 0;
    /// What the calling thread gave to the computing stream until now.
    [[nodiscard]] virtual CardPointRef markCompute() = 0;
    virtual void copyWaits(const CardPoint& point) = 0;
    virtual void computeWaits(const CardPoint& point) = 0;
    /// The host waits.
    virtual void hostWaits(const CardPoint& point) = 0;
    /// The host waits for the computing stream; throws what went wrong in it.
    virtual void finishCompute() = 0;
    /// The host waits for both streams; what went wrong in them is told by the next call.
    virtual void synchronise() noexcept = 0;

    /// What makes every further call fail, in the runtime's words; empty while the card works.
    [[nodiscard]] virtual std::string failure() const noexcept = 0;

    /// Whether the point was reached. Any thread.
    [[nodiscard]] virtual bool isReached(const CardPoint& point) const = 0;
    /// Between two points of one stream that were reached. Any thread.
    [[nodiscard]] virtual Seconds between(const CardPoint& first, const CardPoint& last) const = 0;
};

}  // namespace lowtide::residency
