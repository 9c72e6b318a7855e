#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/graph/catalog.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::ui {

/// A hash of what decides about the time of a run: the graph without seeds, places, titles and
/// boxes, the options, and which nodes executed. Empty when the graph cannot be read.
[[nodiscard]] std::string timeKeyOf(std::string_view graph,
                                    const Json& options,
                                    const Json& report,
                                    const graph::Catalog& catalog);

/// Remembers how long runs took: the last one of each of the newest kMostKeys kinds.
class RunTimes {
public:
    /// A run that takes more than so many times the last one of its key is worth a word.
    static constexpr double kSlower = 1.3;
    /// Milliseconds that it must take longer by: short runs vary by themselves.
    static constexpr double kLeastMore = 250;
    static constexpr size_t kMostKeys = 256;

    struct Slower {
        double milliseconds = 0;
        double lastMilliseconds = 0;
    };

    /// Takes the time; tells when it is over kSlower times the last one, and kLeastMore more.
    std::optional<Slower> take(const std::string& key, double milliseconds);

private:
    struct Last {
        std::string key;
        double milliseconds = 0;
    };

    std::deque<Last> last_;  ///< the newest at the end
};

}  // namespace lowtide::ui
