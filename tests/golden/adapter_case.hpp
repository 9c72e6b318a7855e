#pragma once
// Cases of goldens with LoRAs, ControlNets, IP-Adapters and textual inversions, alone or together.

#include "plugin/base/json.hpp"

#include <QString>
#include <QStringList>

#include <string>

namespace lowtide::testing {

/// "node.param=value" for what a case has next to its adapters; files lie in `goldens`.
[[nodiscard]] QStringList plainSettings(const Json& test, const QString& goldens);

/// Where the scripts put the files of a case.
[[nodiscard]] QString loraFile(const Json& test, const Json& lora, const QString& goldens);
[[nodiscard]] QString controlFolder(const Json& test, const Json& control, const QString& goldens);
[[nodiscard]] QString ipAdapterFile(const Json& test, const Json& adapter, const QString& goldens);
[[nodiscard]] QString imageFile(const Json& name, const QString& goldens);

/// A graph, and "node.param=value" for it.
struct AdaptedRun {
    Json graph;
    QStringList settings;
};

/// Text to image or, where the case has an image, image to image, with its "loras", "controls" and
/// "adapters" (those that it has) behind one another: nodes lora_0 ..., control_1 ..., ip_0 ...,
/// each number once but those of IP-Adapters.
[[nodiscard]] AdaptedRun adaptedRun(const Json& test, const QString& goldens);

/// What a run of the case has other than the reference recorded, next to a folder of its
/// "embeddings". Empty: nothing. `key`: a value that must be among those recorded; `more`: settings
/// in addition to those of the case.
[[nodiscard]] std::string adaptedCaseProblems(const Json& test,
                                              const QString& goldens,
                                              const std::string& key = {},
                                              const QStringList& more = {});

}  // namespace lowtide::testing
