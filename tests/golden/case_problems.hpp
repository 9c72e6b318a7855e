#pragma once
// Whole runs compared with what the reference recorded of the same case.

#include "plugin/base/json.hpp"

#include <QString>
#include <QStringList>

#include <string>

namespace lowtide::testing {

/// How a run is made: in a process of its own, or in that of the test, which takes a second less.
enum class RunIn { Test, Program };

/// What a run of `graph` with those settings has other than the reference recorded for the case in
/// `goldens`; empty: nothing. `key`: a value that must be among those recorded.
[[nodiscard]] std::string caseProblems(const Json& test,
                                       const QString& goldens,
                                       const QString& graph,
                                       const QStringList& settings,
                                       const std::string& key = {},
                                       RunIn process = RunIn::Test);

}  // namespace lowtide::testing
