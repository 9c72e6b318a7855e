#pragma once

#include "plugin/host_api/runner.hpp"

#include <QString>
#include <QStringList>

#include <vector>

namespace lowtide::testing {

/// A question of expected.tsv.
struct PublishedRow {
    QString what;
    QString expected;
    QString note;
};

/// Those of a kind: "check" or "plan".
[[nodiscard]] std::vector<PublishedRow> publishedRows(const QString& kind);

/// The module, with the published models/ as a model folder.
[[nodiscard]] Plugin& publishedModule();

}  // namespace lowtide::testing
