#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"

#include <initializer_list>
#include <string>

namespace lowtide::sampling {

/// Settings of a step cache by the ids of its node's parameters. Error{InvalidInput} blames the
/// setting that is missing or cannot be.
class SettingReader {
public:
    /// `what` names the source in messages. `settings` must outlive it.
    SettingReader(const Json& settings, std::string what) : reader_(settings, std::move(what)) {}

    [[nodiscard]] std::string text(const char* key) const;
    /// One of `choices`.
    [[nodiscard]] std::string choice(const char* key,
                                     std::initializer_list<const char*> choices) const;
    [[nodiscard]] double number(const char* key) const;
    [[nodiscard]] int count(const char* key) const;
    /// "warm_up", "max_consecutive" (0: no bound) and "keep_last".
    [[nodiscard]] ReuseLimits limits() const;

private:
    JsonReader reader_;
};

}  // namespace lowtide::sampling
