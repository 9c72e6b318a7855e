#include "ui/widgets/graph_editor.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/app_state.hpp"
#include "ui/bridge/device_memory.hpp"
#include "ui/bridge/failures.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/inspector.hpp"
#include "ui/panels/memory_panel.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QCoreApplication>
#include <QEvent>
#include <QLocale>
#include <QObject>
#include <QPointer>
#include <QThread>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace lowtide {

namespace {

std::set<const QObject*>& roots() {
    static std::set<const QObject*> all;
    return all;
}

bool isGuarded(const QObject* receiver) {
    while (receiver && !roots().contains(receiver)) {
        receiver = receiver->parent();
    }
    return receiver != nullptr;
}

/// False: it is not for here.
bool deliver(QObject* receiver, QEvent* event, bool& result) {
    static const QEvent* passing = nullptr;
    QCoreApplication& program = *QCoreApplication::instance();
    if (std::exchange(passing, nullptr) == event || QThread::currentThread() != program.thread() ||
        !isGuarded(receiver)) {
        return false;
    }
    try {
        if (event->spontaneous()) {  // sendEvent() would make it one that is not
            result = program.notify(receiver, event);
        } else {
            passing = event;
            result = QCoreApplication::sendEvent(receiver, event);
        }
    } catch (...) {
        ui::Failures::instance().takeCurrent();
    }
    return true;
}

/// As Qt calls it before every event: receiver, event, result; true: it was delivered here. A
/// filter of events cannot do this, since what filters come after it would be left out.
bool beforeEvent(void** parts) {
    auto* event = static_cast<QEvent*>(parts[1]);
    return deliver(static_cast<QObject*>(parts[0]), event, *static_cast<bool*>(parts[2]));
}

/// Keeps what the handlers of our widgets throw out of the host: the application is the host's, and
/// its notify() knows nothing of our exceptions. `root` and all that lies below it are guarded as
/// long as they live; what is caught goes to Failures. GUI thread only.
void guardEvents(QObject& root) {
    static const bool isInstalled =
        QInternal::registerCallback(QInternal::EventNotifyCallback, beforeEvent);
    Q_UNUSED(isInstalled);
    if (roots().insert(&root).second) {
        QObject::connect(&root, &QObject::destroyed, [&root] { roots().erase(&root); });
    }
}

void useScheme(ui::Theme::Scheme scheme) {
    ui::Theme::setCurrent(std::make_shared<const ui::Theme>(scheme));
}

/// Lives as long as the program, which has one for all editors.
ui::Language& language() {
    static QPointer<ui::Language> language;
    if (!language) {
        language = new ui::Language(QCoreApplication::instance());
    }
    return *language;
}

/// The program's first editor looks and speaks as its host does.
void beginAsHost() {
    static bool hasBegun = false;
    if (!hasBegun) {
        hasBegun = true;
        useScheme(ui::Theme::schemeOf(QApplication::palette()));
        language().useIn(QLocale().name());
    }
}

QString reasonOf(const Issues& issues) {
    QStringList sentences;
    for (const Issue& issue : issues) {
        if (issue.severity == Severity::Error) {
            sentences.append(ui::joinedSentences(QString::fromStdString(issue.message.str()),
                                                 QString::fromStdString(issue.hint.str()),
                                                 "; "));
        }
    }
    return sentences.join(QLatin1Char('\n'));
}

/// What a host asked for; what it throws becomes failed() and what is returned then.
template <class Act, class Result = std::invoke_result_t<Act>>
Result guarded(Act act, Result otherwise) noexcept {
    try {
        return act();
    } catch (...) {
        ui::Failures::instance().takeCurrent();
        return otherwise;
    }
}

GraphEditor::Ended endedAs(ui::RunState state) {
    switch (state) {
        case ui::RunState::Finished:
            return GraphEditor::Ended::Finished;
        case ui::RunState::Cancelled:
            return GraphEditor::Ended::Cancelled;
        default:
            return GraphEditor::Ended::Failed;
    }
}

}  // namespace

struct GraphEditor::Parts : ui::AppState {
    QPointer<ui::GraphView> canvas{new ui::GraphView(model, statuses, nullptr)};
    QPointer<ui::Inspector> inspector{new ui::Inspector(model, statuses, planning, nullptr)};
    QPointer<ui::MemoryPanel> memoryPanel{new ui::MemoryPanel({.model = model,
                                                               .planning = planning,
                                                               .queue = queue,
                                                               .feed = memory,
                                                               .maintenance = maintenance})};
    bool isFitted = true;

    explicit Parts(Plugin& plugin) : AppState(plugin, ui::AtEnd::LeavesModule) {
        join();
        dress();
        QObject::connect(
            &ui::Themed::instance(), &ui::Themed::changed, canvas, [this] { dress(); });
        memory.askNow();
    }

    ~Parts() override {
        delete canvas;
        delete inspector;
        delete memoryPanel;
    }

    [[nodiscard]] std::vector<QWidget*> widgets() const {
        std::vector<QWidget*> all{canvas, inspector, memoryPanel};
        std::erase(all, nullptr);
        return all;
    }

    /// Takes what is typed in these widgets; another editor of the program has its own. False:
    /// it cannot be read.
    [[nodiscard]] bool commit() const {
        bool isTaken = true;
        for (const QWidget* widget : widgets()) {
            isTaken = ui::EditSession::commit(widget) && isTaken;
        }
        return isTaken;
    }

    void join() {
        QObject::connect(
            &memory, &ui::MemoryFeed::changed, inspector, [this](const ui::MemoryNow& now) {
                inspector->setDevices(ui::deviceNames(now.devices));
            });
        QObject::connect(canvas, &ui::GraphView::selectionChanged, inspector, [this] {
            inspector->showNodes(canvas->selectedNodes());
        });
        QObject::connect(
            canvas, &ui::GraphView::runToRequested, &run, [this](const std::string& node) {
                if (commit()) {
                    run.run(ui::RunHow::Last, {node});
                }
            });
        QObject::connect(
            memoryPanel, &ui::MemoryPanel::nodeActivated, canvas, [this](const std::string& node) {
                canvas->reveal(node);
            });
    }

    /// The canvas has its size only once the host's layout has it.
    void fitSoon() {
        isFitted = canvas && canvas->isVisible();
        if (isFitted) {
            QMetaObject::invokeMethod(
                canvas, [this] { canvas->invoke("view.fit_all"); }, Qt::QueuedConnection);
        }
    }

    /// Only our own widgets: the host's keep its palette.
    void dress() {
        for (QWidget* widget : widgets()) {
            widget->setPalette(ui::Theme::current().palette());
            widget->setFont(ui::Theme::current().font("body"));
        }
    }
};

GraphEditor::GraphEditor(Plugin& plugin, QObject* parent) : QObject(parent) {
    beginAsHost();
    try {
        parts_ = std::make_unique<Parts>(plugin);
    } catch (const Error& error) {
        throw std::runtime_error(error.message().str());  // hosts do not know the type of ours
    }
    guardAll();
    parts_->canvas->installEventFilter(this);
    connect(&parts_->model, &ui::GraphModel::changed, this, [this] { Q_EMIT changed(); });
    connect(&parts_->model, &ui::GraphModel::modifiedChanged, this, &GraphEditor::modifiedChanged);
    connect(&parts_->run, &ui::RunControl::busyChanged, this, &GraphEditor::busyChanged);
    connect(parts_->canvas, &ui::GraphView::selectionChanged, this, [this] {
        QStringList nodes;
        for (const std::string& node : parts_->canvas->selectedNodes()) {
            nodes.append(QString::fromStdString(node));
        }
        Q_EMIT selectionChanged(nodes);
    });
    connect(&parts_->queue,
            &ui::RunQueue::nodeImage,
            this,
            [this](quint64 run, const std::string& node, const ui::NodeImage& shown) {
                Q_EMIT nodeImage(
                    run, QString::fromStdString(node), shown.image, shown.step.has_value());
            });
    const auto reportEnd = [this](quint64 id) {
        if (const ui::QueuedRun* run = parts_->queue.find(id)) {
            const QString reason = reasonOf(run->issues);
            Q_EMIT runEnded(id, endedAs(run->state), run->files, reason);
        }
    };
    connect(&parts_->queue, &ui::RunQueue::ended, this, reportEnd);
    connect(&parts_->queue,
            &ui::RunQueue::takenBack,
            this,
            [reportEnd](const std::vector<quint64>& ids) {
                std::for_each(ids.begin(), ids.end(), reportEnd);
            });
}

GraphEditor::~GraphEditor() {
    parts_->queue.disconnect(this);
    parts_->model.disconnect(this);
    parts_->run.disconnect(this);
}

void GraphEditor::guardAll() {
    connect(&ui::Failures::instance(), &ui::Failures::happened, this, &GraphEditor::failed);
    guardEvents(*this);
    for (QWidget* widget : parts_->widgets()) {
        guardEvents(*widget);
    }
    const std::initializer_list<QObject*> parts = {&parts_->model,
                                                   &parts_->statuses,
                                                   &parts_->queue,
                                                   &parts_->planning,
                                                   &parts_->memory,
                                                   &parts_->maintenance,
                                                   &parts_->run};
    for (QObject* part : parts) {
        guardEvents(*part);
    }
}

bool GraphEditor::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show && watched == parts_->canvas && !parts_->isFitted) {
        parts_->fitSoon();
    }
    return QObject::eventFilter(watched, event);
}

QWidget& GraphEditor::canvas() {
    return *parts_->canvas;
}

QWidget& GraphEditor::inspector() {
    return *parts_->inspector;
}

QWidget& GraphEditor::memoryPanel() {
    return *parts_->memoryPanel;
}

QUndoStack& GraphEditor::undoStack() {
    return parts_->model.undoStack();
}

QString GraphEditor::load(const QByteArray& graph) {
    try {
        parts_->model.load(graph::parseDocument(graph.toStdString()));
        parts_->planning.askNow();
        parts_->fitSoon();
    } catch (const Error& error) {
        return ui::errorSentences(error, "; ");
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

QByteArray GraphEditor::graph() const {
    return guarded(
        [this] { return QByteArray::fromStdString(graph::toText(parts_->model.document())); },
        QByteArray());
}

bool GraphEditor::isModified() const {
    return parts_->model.isModified();
}

void GraphEditor::setSaved() {
    guarded([this] { return parts_->model.setSaved(), true; }, false);
}

bool GraphEditor::setOptions(const QByteArray& options) {
    return guarded(
        [&] {
            const Json json = Json::parse(options.begin(), options.end(), nullptr, false);
            if (json.is_object()) {
                parts_->planning.setOptions(json);
            }
            return json.is_object();
        },
        false);
}

void GraphEditor::commit() {
    guarded([this] { return parts_->commit(); }, false);
}

quint64 GraphEditor::run() {
    return guarded(
        [this] {
            if (parts_->commit()) {
                return parts_->run.run(ui::RunHow::Last);
            }
            for (const QWidget* widget : parts_->widgets()) {
                if (QWidget* field = ui::EditSession::refusedField(widget)) {
                    field->setFocus();
                    break;
                }
            }
            return quint64{0};
        },
        quint64{0});
}

void GraphEditor::cancel(CancelMode mode) {
    guarded([&] { return parts_->run.cancel(mode), true; }, false);
}

bool GraphEditor::isBusy() const {
    return parts_->run.isBusy();
}

void GraphEditor::reveal(const QString& node, const QString& item) {
    if (parts_->canvas) {
        guarded(
            [&] { return parts_->canvas->reveal(node.toStdString(), item.toStdString()), true; },
            false);
    }
}

void GraphEditor::setScheme(Scheme scheme) {
    beginAsHost();
    useScheme(scheme == Scheme::Dark ? ui::Theme::Scheme::Dark : ui::Theme::Scheme::Light);
}

void GraphEditor::setLanguage(const QString& code) {
    beginAsHost();
    language().useIn(code);
}

}  // namespace lowtide
