#include "plugin/executor/ledger_charge.hpp"

namespace lowtide::executor {

LedgerCharge::LedgerCharge(memory::Ledger& ledger,
                           memory::Tag tag,
                           std::string owner,
                           const memory::WireValue& value,
                           std::span<const std::string> devices)
    : ledger_(ledger), tag_(tag), owner_(std::move(owner)) {
    for (const std::string& device : devices) {
        if (const Bytes bytes = value.bytesOn(device); bytes > 0) {
            bytes_.emplace_back(device, bytes);
        }
    }
    for (const auto& [device, bytes] : bytes_) {
        ledger_.add(device, tag_, owner_, bytes);
    }
}

LedgerCharge::~LedgerCharge() {
    for (const auto& [device, bytes] : bytes_) {
        ledger_.add(device, tag_, owner_, -bytes);
    }
}

Bytes LedgerCharge::total() const {
    Bytes sum = 0;
    for (const auto& [device, bytes] : bytes_) {
        sum += bytes;
    }
    return sum;
}

}  // namespace lowtide::executor
