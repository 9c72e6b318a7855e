#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/host_api/runner.hpp"

#include <QImage>
#include <QObject>
#include <QString>
#include <QThreadPool>

#include <string>

namespace lowtide::qtnodes_host {

/// Checks and runs graphs for a window: asks from the GUI thread, answers by signals there. One run
/// at a time.
class RunSession final : public QObject, private Observer {
    Q_OBJECT

public:
    /// `runner` must outlive the session.
    explicit RunSession(Runner& runner, QObject* parent = nullptr);
    /// Cancels a run and waits for its end: the module holds on to the observer until then.
    ~RunSession() override;

    /// Checks on another thread; checked() follows. An answer that a later question overtook is
    /// dropped.
    void check(const std::string& graph, const std::string& options);
    /// False, with `issues` in the module's JSON, when the module refuses the run.
    [[nodiscard]] bool start(const std::string& graph, const std::string& options, Json& issues);
    void cancel();

    [[nodiscard]] bool isRunning() const { return isRunning_; }

Q_SIGNALS:
    void checked(const Json& issues);
    void happened(const Json& event);
    void shown(const QString& node, const QImage& image);

private:
    void event(std::string_view json) noexcept override;
    void preview(RunId run, std::string_view node, const Image8& image) noexcept override;
    void deliver(const Json& event);

    Runner& runner_;
    RunId run_ = 0;
    bool isRunning_ = false;
    uint64_t lastQuestion_ = 0;
    QThreadPool checks_;
};

/// The issues in an answer of the module; one that states so when it is no JSON.
[[nodiscard]] Json issuesOf(const std::string& answer);

}  // namespace lowtide::qtnodes_host
