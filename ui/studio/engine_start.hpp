#pragma once

#include "plugin/host_api/host.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"

#include <QLabel>
#include <QObject>
#include <QProgressBar>
#include <QPushButton>
#include <QString>
#include <QWidget>

#include <functional>
#include <span>
#include <vector>

namespace lowtide::ui {

/// Opens and starts the module; throws Error with the reason.
using OpenModule = std::function<Plugin&()>;

/// Starts the module on a thread of its own, so that the window is there at once. Its signals
/// arrive on the thread of this object.
class EngineStart : public QObject {
    Q_OBJECT

public:
    explicit EngineStart(OpenModule open, QObject* parent = nullptr);
    /// Tries, also once more after a refusal. Does nothing while it tries.
    void begin();

Q_SIGNALS:
    void started(lowtide::Plugin* plugin);
    /// What failed and what to do, in plain words.
    void refused(const QString& message, const QString& hint);

private:
    OpenModule open_;
    bool isTrying_ = false;
    Background background_;  ///< a start that is under way is waited for
};

/// Keeps the descriptions that the module gave, so that graphs can be edited when it does not start
/// another time. A file that cannot be written is no trouble: they are kept at the next start.
void keepNodes(const QString& path, std::span<const NodeDesc> nodes);
/// What keepNodes() wrote; empty where there is nothing that can be read.
[[nodiscard]] std::vector<NodeDesc> keptNodes(const QString& path);

/// Answers every question with the one thing that is known: there is no engine.
class AbsentRunner final : public Runner {
public:
    Status check(std::string_view, std::string_view, std::string& result) noexcept override;
    Status plan(std::string_view, std::string_view, std::string& result) noexcept override;
    Status start(std::string_view,
                 std::string_view,
                 Observer&,
                 RunId&,
                 std::string& result) noexcept override;

    Status cancel(RunId, CancelMode) noexcept override { return Status::Ok; }

    Status wait(RunId, std::string& result) noexcept override;
    Status memory(std::string& result) noexcept override;

    Status release(std::string_view) noexcept override { return Status::Ok; }

    Status devices(std::string& result) noexcept override;

    Status stop() noexcept override { return Status::Ok; }
};

/// Stands where the module would, when that did not start: graphs can be edited, with the nodes
/// that an earlier start kept, but not run.
class AbsentPlugin final : public Plugin {
public:
    explicit AbsentPlugin(std::vector<NodeDesc> nodes) : nodes_(std::move(nodes)) {}

    std::string_view info() const noexcept override { return "{}"; }

    std::span<const NodeDesc> nodes() const noexcept override { return nodes_; }

    Status start(std::string_view, std::string&) noexcept override { return Status::Ok; }

    Runner* runner() noexcept override { return &runner_; }

    Status call(std::string_view, std::string_view, Watch*, std::string&) noexcept override {
        return Status::Invalid;
    }

    LogSource* log() noexcept override { return nullptr; }

private:
    std::vector<NodeDesc> nodes_;
    AbsentRunner runner_;
};

/// What the window shows while there is no engine: that it starts, or why it did not.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

    void showStarting();
    /// The texts of the page in the language of the program.
    void retranslate();
    /// `canEdit`: graphs can be edited without the engine.
    void showRefused(const QString& message, const QString& hint, bool canEdit);

Q_SIGNALS:
    void againAsked();
    void withoutAsked();

private:
    bool isRefused_ = false;
    QLabel* title_;
    QLabel* message_;
    QLabel* hint_;
    QProgressBar* progress_;
    QPushButton* again_;
    QPushButton* without_;
};

}  // namespace lowtide::ui
