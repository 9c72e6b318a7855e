#include "plugin/residency/copy_spans.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

namespace {

/// Where what lies `distance` bytes into a span on the device is among the bytes that cross; slots
/// are aligned to more than numbers of any type take.
Bytes crossingOffset(Bytes distance, const std::optional<TypeChange>& widened) {
    return widened ? distance / sizeOf(widened->to) * sizeOf(widened->from) : distance;
}

}  // namespace

std::vector<CopySpan> copySpans(const memory::Group& group,
                                const std::function<StorageCrossing(memory::StorageId)>& crossing) {
    std::vector<CopySpan> spans;
    bool goesOn = false;
    for (size_t i = 0; i < group.storages.size(); ++i) {
        const StorageCrossing own = crossing(group.storages[i]);
        goesOn = goesOn && own.bytes > 0;
        if (own.bytes == 0) {
            continue;
        }
        if (!goesOn || spans.back().widened != own.widened) {
            spans.push_back({.parts = {}, .target = group.offsets[i], .widened = own.widened});
            goesOn = true;
        }
        CopySpan& span = spans.back();
        const Bytes offset = crossingOffset(group.offsets[i] - span.target, span.widened);
        span.parts.push_back({group.storages[i], offset, own.bytes});
        span.bytes = offset + own.bytes;
    }
    return spans;
}

ByteSource joinedSource(const CopySpan& span, std::vector<ByteSource> sources) {
    if (sources.size() == 1) {
        return std::move(sources.front());
    }
    return [parts = span.parts, sources = std::move(sources)](
               std::byte* target, Bytes offset, Bytes count) {
        for (size_t i = 0; i < parts.size(); ++i) {
            const Bytes begin = std::max(offset, parts[i].offset);
            const Bytes end = std::min(offset + count, parts[i].offset + parts[i].bytes);
            const bool isWanted =
                begin >= end ||
                sources[i](target + (begin - offset), begin - parts[i].offset, end - begin);
            if (!isWanted) {
                return false;
            }
        }
        return true;
    };
}

}  // namespace lowtide::residency
