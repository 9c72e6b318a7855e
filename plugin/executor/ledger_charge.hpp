#pragma once

#include "plugin/memory/ledger.hpp"
#include "plugin/memory/wire_value.hpp"

#include <span>
#include <string>
#include <vector>

namespace lowtide::executor {

/// The device id of host memory.
inline constexpr const char* kHostDevice = "cpu";

/// A value's bytes in the ledger, on every device that holds some, for as long as this lives.
class LedgerCharge {
public:
    LedgerCharge(memory::Ledger& ledger,
                 memory::Tag tag,
                 std::string owner,
                 const memory::WireValue& value,
                 std::span<const std::string> devices);
    ~LedgerCharge();
    LedgerCharge(const LedgerCharge&) = delete;
    LedgerCharge& operator=(const LedgerCharge&) = delete;

    /// Bytes on all devices together.
    [[nodiscard]] Bytes total() const;

private:
    memory::Ledger& ledger_;
    memory::Tag tag_;
    std::string owner_;
    std::vector<std::pair<std::string, Bytes>> bytes_;
};

}  // namespace lowtide::executor
