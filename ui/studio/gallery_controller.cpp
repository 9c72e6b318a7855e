#include "ui/studio/gallery_controller.hpp"

#include "plugin/base/error.hpp"
#include "ui/document/edits.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/studio/used_values.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QDateTime>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <set>

namespace lowtide::ui {

namespace {

using What = GraphDifference::What;

const ParamDesc* paramOf(const NodeDesc* desc, const std::string& param) {
    return desc ? graph::findParam(*desc, param) : nullptr;
}

QString settingText(const std::string& setting) {
    return setting == "memory_budget"  ? DifferencesDialog::tr("Memory budget")
           : setting == "device"       ? DifferencesDialog::tr("Device")
           : setting == "gc_threshold" ? DifferencesDialog::tr("Collect memory at")
           : setting == "low_memory"   ? DifferencesDialog::tr("Low-memory mode")
                                       : DifferencesDialog::tr("Exact");
}

QString itemText(const GraphDifference& difference, const NodeDesc* desc) {
    switch (difference.what) {
        case What::Param:
            if (const ParamDesc* param = paramOf(desc, difference.item)) {
                return QString::fromStdString(param->label);
            }
            return QString::fromStdString(difference.item);
        case What::Memory:
            return DifferencesDialog::tr("Memory");
        case What::Precision:
            return DifferencesDialog::tr("Precision");
        case What::Mode:
            return DifferencesDialog::tr("Mode");
        case What::Source:
            return DifferencesDialog::tr("Input %1").arg(QString::fromStdString(difference.item));
        default:
            return {};
    }
}

QString statedValue(const Json& value, const ParamDesc* param) {
    return value.is_null()     ? DifferencesDialog::tr("not set")
           : param             ? valueText(*param, value)
           : value.is_string() ? QString::fromStdString(value.get<std::string>())
                               : QString::fromStdString(value.dump());
}

QString leftOpenText(const std::vector<RunRecord>& runs) {
    return GalleryController::tr(
        "%n runs had not ended when the studio did.", nullptr, static_cast<int>(runs.size()));
}

const auto kNotKept = QStringLiteral("runs not kept");

}  // namespace

QString fillPlaceholder(const GraphDifference& difference,
                        const graph::Document& document,
                        const graph::Catalog& catalog) {
    if (difference.what == What::Setting) {
        return settingText(difference.item);
    }
    const NodeDesc* desc = descOf(document, catalog, difference.node);
    const auto node = document.nodes.find(difference.node);
    const std::string label = node != document.nodes.end() && node->second.title
                                  ? *node->second.title
                              : desc ? desc->label
                                     : difference.node;
    const QString item = itemText(difference, desc);
    return item.isEmpty()
               ? QString::fromStdString(label)
               : DifferencesDialog::tr("%1, %2").arg(QString::fromStdString(label), item);
}

DifferencesDialog::DifferencesDialog(const QString& run,
                                     const graph::Document& then,
                                     const GraphModel& open,
                                     QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("differences"));
    setWindowTitle(tr("What differs"));
    resize(Theme::space(180), Theme::space(110));
    const graph::Document& now = open.document();
    const std::vector<GraphDifference> found = differencesBetween(then, now);
    QLabel* head = makeText(found.empty() ? tr("The open graph is the one of “%1”.").arg(run)
                                          : tr("“%1” compared with the open graph:").arg(run),
                            "head",
                            this);
    auto* list = named("list", new QTreeWidget(this));
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setHeaderLabels({tr("Where"), tr("In that run"), tr("Now")});
    for (const GraphDifference& each : found) {
        const bool isAdded = each.what == What::Added;
        const bool isRemoved = each.what == What::Removed;
        const graph::Document& owner = isAdded ? now : then;
        const ParamDesc* param = each.what == What::Param
                                     ? paramOf(descOf(owner, open.catalog(), each.node), each.item)
                                     : nullptr;
        const QString before = isAdded     ? tr("no such node")
                               : isRemoved ? tr("there")
                                           : statedValue(each.before, param);
        const QString after = isAdded     ? tr("there")
                              : isRemoved ? tr("no such node")
                                          : statedValue(each.after, param);
        auto* row = new QTreeWidgetItem(list,
                                        {fillPlaceholder(each, owner, open.catalog()),
                                         before.simplified(),
                                         after.simplified()});
        row->setToolTip(1, before);
        row->setToolTip(2, after);
    }
    list->setVisible(!found.empty());
    list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    list->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    list->header()->setSectionResizeMode(2, QHeaderView::Stretch);
    list->header()->setStretchLastSection(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(Theme::space(2));
    addAll(*column, {head, {list, 1}, Cell::spring(found.empty() ? 1 : 0), buttons});
}

GalleryController::GalleryController(MainWindowWidgets& widgets, FileCommands& files)
    : QObject(widgets.gallery),
      widgets_(widgets),
      workspace_(widgets.workspace),
      files_(files),
      notices_(widgets.notices),
      window_(&widgets.window) {
    Gallery* gallery = widgets.gallery;
    widgets.actions.on("run.left_open", this, &GalleryController::chooseLeftOpen);
    widgets.actions.on("view.gallery", this, [this, gallery] {
        widgets_.centre.setCurrentWidget(gallery);
        gallery->focusSearch();
    });
    connect(gallery, &Gallery::graphAsked, this, &GalleryController::openGraph);
    connect(widgets.sheet, &SheetView::graphAsked, this, &GalleryController::openGraph);
    connect(gallery, &Gallery::valuesAsked, this, &GalleryController::useValues);
    connect(gallery, &Gallery::differencesAsked, this, &GalleryController::showDifferences);
    connect(gallery, &Gallery::refused, this, [this](const QString& sentence) {
        notices_.show(NoticeKind::Warning, sentence);
    });
    connect(gallery, &Gallery::removed, this, [this, gallery](const QString& sentence) {
        removal_ = notices_.offerUndo(sentence, [gallery] { gallery->undoRemove(); });
    });
    connect(gallery, &Gallery::returned, this, [this](const QString& sentence) {
        notices_.withdraw(removal_);
        notices_.show(NoticeKind::Success, sentence);
    });
    connectLibrary();
}

void GalleryController::connectLibrary() {
    RunLibrary& library = *workspace_.library;
    connect(&library, &RunLibrary::failed, this, &GalleryController::reportProblem);
    connect(&library, &RunLibrary::worksAgain, this, [this] { notices_.end(kNotKept); });
    connect(&library, &RunLibrary::repaired, this, [this](const QString& sentence) {
        notices_.show(NoticeKind::Warning, sentence);
    });
    if (!library.problem().isEmpty()) {
        reportProblem(library.problem());
    }
}

void GalleryController::reportProblem(const QString& problem) {
    notices_.stand(kNotKept, NoticeKind::Warning, tr("Runs are not kept: %1").arg(problem));
}

void GalleryController::withRun(const RunKey& key,
                                const std::function<void(const RunRecord&)>& act) {
    workspace_.library->ask(
        [key](RunStore& store) { return store.run(key); },
        this,
        [this, act](const std::optional<RunRecord>& run) {
            if (!run) {
                return;  // it was forgotten meanwhile
            }
            try {
                act(*run);
            } catch (const Error& error) {
                showError(window_, tr("The graph of this run cannot be opened"), error);
            }
        });
}

void GalleryController::openGraph(const RunKey& key, const QString& path) {
    withRun(key, [this, path](const RunRecord& run) {
        if (run.graph.empty()) {  // it was lost with a damaged file; the image has it too
            files_.openPath(path);
            return;
        }
        files_.openRun(run.graph,
                       run.title,
                       Json::parse(run.options, nullptr, false),
                       {path},
                       [this](bool isOpen) {
                           if (isOpen) {
                               widgets_.showGraph();
                           }
                       });
    });
}

void GalleryController::useValues(const RunKey& key, const QString& path, ImageUse use) {
    withRun(key, [this, path, use](const RunRecord& run) {
        useImageValues(widgets_, {.graph = run.graph, .file = path, .name = run.title}, use);
    });
}

void GalleryController::showDifferences(const RunKey& key) {
    withRun(key, [this](const RunRecord& run) {
        DifferencesDialog dialog(
            run.title, graph::parseDocument(run.graph), workspace_.model, window_);
        dialog.exec();
    });
}

void GalleryController::offerLeftOpen() {
    workspace_.library->askLeftOpen(this, [this](const std::vector<RunRecord>& runs) {
        if (!runs.empty()) {
            notices_.show(
                NoticeKind::Info, leftOpenText(runs), tr("Choose"), [this] { chooseLeftOpen(); });
        }
    });
}

void GalleryController::chooseLeftOpen() {
    workspace_.library->askLeftOpen(this, [this](const std::vector<RunRecord>& runs) {
        if (runs.empty()) {
            notices_.show(NoticeKind::Info, tr("Every run of earlier times has ended."));
        } else {
            ask(runs);
        }
    });
}

void GalleryController::ask(const std::vector<RunRecord>& runs) {
    QMessageBox box(
        QMessageBox::Question, tr("Runs"), leftOpenText(runs), QMessageBox::NoButton, window_);
    box.setObjectName(QStringLiteral("runsLeftOpen"));
    box.setInformativeText(tr("The next one is “%1”.").arg(runs.front().title));
    QPushButton* again = box.addButton(tr("Run them now"), QMessageBox::AcceptRole);
    again->setObjectName(QStringLiteral("runAgain"));
    QPushButton* forget = box.addButton(tr("Forget them"), QMessageBox::DestructiveRole);
    forget->setObjectName(QStringLiteral("forget"));
    QPushButton* later = box.addButton(tr("Ask next time"), QMessageBox::RejectRole);
    box.setDefaultButton(again);
    box.setEscapeButton(later);
    box.exec();
    if (box.clickedButton() == again) {
        runAgain(runs);
    } else if (box.clickedButton() == forget) {
        std::vector<RunKey> keys;
        for (const RunRecord& run : runs) {
            keys.push_back(run.key);
        }
        workspace_.library->changeImages([keys](RunStore& store) { store.forget(keys); });
        Q_EMIT forgotten();
    }
}

/// What they wrote before they ended remains theirs. Another studio may have been asked the same.
void GalleryController::runAgain(const std::vector<RunRecord>& runs) {
    std::vector<RunKey> keys;
    for (const RunRecord& run : runs) {
        keys.push_back(run.key);
    }
    const auto claim = [keys](RunStore& store) {
        return store.claim(keys, QDateTime::currentMSecsSinceEpoch());
    };
    workspace_.library->write(claim, this, [this, runs](const std::vector<RunKey>& claimed) {
        const std::set<RunKey> ours(claimed.begin(), claimed.end());
        std::vector<AskedRun> again;
        std::vector<RunRecord> over;
        for (const RunRecord& run : runs) {
            if (!ours.contains(run.key)) {
                continue;
            }
            over.push_back(run);
            over.back().state = RunState::Cancelled;
            Json options = Json::parse(run.options, nullptr, false);
            again.push_back({.title = run.title,
                             .graph = run.graph,
                             .options = options.is_object() ? std::move(options) : Json::object(),
                             .words = run.words,
                             .replacedRun = run.key});
        }
        workspace_.queue.addAll(std::move(again));
        workspace_.library->end(std::move(over), this, {});  // their successors are written by then
        if (claimed.size() < runs.size()) {
            notices_.show(NoticeKind::Info,
                          tr("%n of these runs have been taken by another studio.",
                             nullptr,
                             static_cast<int>(runs.size() - claimed.size())));
        }
    });
}

}  // namespace lowtide::ui
