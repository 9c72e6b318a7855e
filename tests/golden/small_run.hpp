#pragma once
// A small image of any checkpoint, for comparisons to the last bit.

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <string>

namespace lowtide::testing {

/// What is asked of a run of text_to_image, or of "lora" where there is one, which runs twice.
struct SmallRun {
    QString checkpoint;
    std::string device = "cpu";
    std::string policy = "none";  ///< of every stage
    std::string precision{};      ///< of every stage; empty: nothing is asked
    QString lora{};
    QString unet{};
};

/// Every value of the run, as the dump's bytes; what went wrong, if anything did.
[[nodiscard]] QByteArray dumpOf(const SmallRun& run);

/// The same of a run of the command with two steps of an example; `options` are more of its
/// options.
[[nodiscard]] QByteArray dumpOfExample(const char* example,
                                       const QString& checkpoint,
                                       const QStringList& options);

}  // namespace lowtide::testing
