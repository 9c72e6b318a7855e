#pragma once

#include "plugin/base/units.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/engine.hpp"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A storage in which a checkpoint can be written again.
struct StorageChoice {
    std::string storage;    ///< "q8_0"
    QString ending;         ///< of the file: ".gguf"
    Bytes bytes = 0;        ///< of the file, at most
    Bytes sourceBytes = 0;  ///< of the same tensors now

    [[nodiscard]] bool isSmaller() const { return bytes < sourceBytes; }
};

/// What can become of a checkpoint.
struct Convertible {
    QString path;                        ///< where it lies
    std::vector<StorageChoice> choices;  ///< the gentlest first
    QString problem;                     ///< why it cannot be converted; empty: it can
};

/// What a user asks for.
struct ConversionJob {
    std::string checkpoint;  ///< as a graph in `graphFolder` names it
    QString graphFolder;
    std::string storage;
    QString out;  ///< an absolute path
};

struct Converted {
    QString out;
    Bytes bytes = 0;      ///< of its tensors
    int64_t rounded = 0;  ///< tensors whose numbers are not those of the source
    double meanError = 0;
    bool isCancelled = false;
    QString problem;  ///< why nothing was written; empty: it was
};

/// Has the module write checkpoints again, one at a time, on a thread of its own. GUI thread only.
class Conversion : public QObject {
    Q_OBJECT

public:
    /// `engine` must outlive it.
    explicit Conversion(const Engine& engine, QObject* parent = nullptr);
    /// Cancels what is at work, and waits until it has ended.
    ~Conversion() override;

    /// Whether this module converts.
    [[nodiscard]] bool isPossible() const { return engine_.canCall("convert"); }

    /// Asks what can become of it; answers to earlier questions are dropped.
    void ask(const std::string& checkpoint, const QString& graphFolder);
    /// Not while it is busy.
    void begin(const ConversionJob& job);
    void cancel();

    [[nodiscard]] bool isBusy() const { return watch_ != nullptr; }

Q_SIGNALS:
    void known(const lowtide::ui::Convertible& what);
    /// Ten times a second: bytes of the new file.
    void progressed(qint64 done, qint64 total);
    void ended(const lowtide::ui::Converted& what);

private:
    class Watch;

    const Engine& engine_;
    std::shared_ptr<Watch> watch_;  ///< of what is at work
    QTimer clock_;
    int lastQuestion_ = 0;
    Background background_;
};

}  // namespace lowtide::ui
