#include "plugin/memory/policy.hpp"

#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

namespace lowtide::fuzz::policy_target {

namespace {

using namespace memory;

bool readPolicy(std::string_view text) {
    Policy policy;
    const bool isTaken = takes({ErrorKind::InvalidInput}, [&] { policy = parsePolicy(text); });
    if (isTaken) {
        require(parsePolicy(toText(policy)) == policy, "a policy's text says the same policy");
    }
    return isTaken;
}

bool readDevice(std::string_view text) {
    DeviceSpec spec;
    const bool isTaken = takes({ErrorKind::InvalidInput}, [&] { spec = parseDeviceSpec(text); });
    if (isTaken) {
        require(parseDeviceSpec(toText(spec)) == spec, "a device's text says the same device");
    }
    return isTaken;
}

bool readJsonPolicy(std::string_view text) {
    Json json;
    if (!takes({ErrorKind::Corrupt}, [&] { json = parseJson(text, "memory"); })) {
        return false;
    }
    Policy policy;
    const bool isTaken = takes({ErrorKind::InvalidInput, ErrorKind::Corrupt},
                               [&] { policy = policyFromJson(json, "memory"); });
    if (isTaken) {
        require(policyFromJson(toJson(policy), "again") == policy,
                "a policy's JSON says the same policy");
        const auto stated = json.is_object() ? json.find("blocks_per_group") : json.end();
        require(!json.is_object() || stated == json.end() || stated->is_null() ||
                    *stated == policy.blocksPerGroup,
                "a policy has the number that was stated");
    }
    return isTaken;
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with('{') || text.starts_with('[')) {
        return readJsonPolicy(text);
    }
    const std::optional<Bytes> size = parseBytes(text);
    require(!size || *size >= 0, "a size is not negative");
    return size || readDevice(text) || readPolicy(text);
}

[[maybe_unused]] const bool isEntered = enterTarget("policy", runInput);

}  // namespace lowtide::fuzz::policy_target
