#pragma once

#include "plugin/base/json_fwd.hpp"

#include <QString>
#include <QStringList>

namespace lowtide::testing {

/// The rows that a Python peer of tests/gpu prints at its end, with "PyTorch, " before their "way",
/// and one with the seconds until it printed "step", if it did. A peer that cannot run at all is
/// one row, "refused", with the end of its errors.
[[nodiscard]] Json peerRows(const QString& script, const QStringList& arguments);

/// The Python that runs peers: LOWTIDE_PYTHON, else python3.
[[nodiscard]] QString peerPython();

/// As much of a program's errors as a row holds.
[[nodiscard]] QString endOf(const QString& errors);

/// Prints a row and appends it.
void addRow(Json& rows, Json row);

/// Writes build/gpu/<name>.json, a list of flat rows that ./dev gpu-check prints and keeps. False:
/// it could not.
[[nodiscard]] bool writeRows(const QString& name, const Json& rows);

}  // namespace lowtide::testing
