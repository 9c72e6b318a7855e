#pragma once

#include "plugin/base/units.hpp"

#include <cstddef>
#include <list>
#include <mutex>

namespace lowtide::residency {

/// The targets of copies that were enqueued and have neither run nor been skipped. Thread-safe.
class CopiesInFlight {
public:
    /// One copy under way, from its enqueuing to the end of its job.
    class Entry {
    public:
        Entry(CopiesInFlight& copies, const std::byte* target, Bytes bytes);
        ~Entry();
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

        /// Whether no earlier copy to these bytes is under way: only then may the enqueuing thread
        /// write to them.
        [[nodiscard]] bool isAlone() const noexcept { return isAlone_; }

    private:
        CopiesInFlight& copies_;
        std::list<std::pair<const std::byte*, const std::byte*>>::iterator place_;
        bool isAlone_;
    };

private:
    std::mutex mutex_;
    std::list<std::pair<const std::byte*, const std::byte*>> targets_;
};

}  // namespace lowtide::residency
