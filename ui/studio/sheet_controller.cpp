#include "ui/studio/sheet_controller.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/graph/overrides.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/image/png.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/bridge/run_maker.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/sheet_drawing.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr const char* kGraphOfImage = "lowtide_graph";  // as images of runs have it

QStringList captionOf(const SheetCellRecord& cell) {
    if (cell.state != RunState::Finished || cell.executed == 0) {
        return {};
    }
    return {listed({secondsText(cell.milliseconds / 1000), bytesText(cell.peak)})};
}

QString cellProblem(const SheetCellRecord& cell) {
    return !cell.isKnown                       ? SheetController::tr("forgotten")
           : cell.state == RunState::Cancelled ? SheetController::tr("cancelled")
           : !cell.problem.isEmpty()           ? cell.problem
                                               : SheetController::tr("no image");
}

SheetDrawing drawingOf(const SheetRecord& sheet, const SheetPlan& plan) {
    SheetDrawing drawing{
        .plan = plan, .title = sheet.title, .cells = {}, .font = Theme::current().font("body")};
    for (const SheetCellRecord& cell : sheet.cells) {
        drawing.cells.push_back({.file = cell.files.value(0),
                                 .caption = plan.isMeasured ? captionOf(cell) : QStringList(),
                                 .problem = cellProblem(cell)});
    }
    return drawing;
}

bool areAllOver(const SheetRecord& sheet) {
    return std::all_of(sheet.cells.begin(), sheet.cells.end(), [](const SheetCellRecord& cell) {
        return hasEnded(cell);
    });
}

/// Next to the images of the cells; empty: there are none.
QString folderOf(const SheetRecord& sheet) {
    for (const SheetCellRecord& cell : sheet.cells) {
        if (!cell.files.isEmpty()) {
            return QFileInfo(cell.files.front()).absolutePath();
        }
    }
    return {};
}

/// On another thread.
SheetController::WrittenSheet written(const SheetRecord& sheet,
                                      const SheetDrawing& drawing,
                                      const graph::Catalog& catalog) {
    QString path = sheet.image;
    try {
        const std::string graph =
            graph::makeSnapshot(graph::parseDocument(sheet.graph), catalog)->graphText;
        const std::string bytes =
            image::encodePng(asImage8(drawSheet(drawing)), {{kGraphOfImage, graph}});
        if (path.isEmpty()) {
            path = claimedSheetName(folderOf(sheet), sheet.name);
        }
        files::writeFileAtomically(path.toStdString(), bytes);
        return {.path = path, .problem = {}};
    } catch (const Error& error) {
        if (sheet.image.isEmpty() && !path.isEmpty() && QFileInfo(path).size() == 0) {
            QFile::remove(path);  // the name is free again
        }
        return {.path = {}, .problem = sentenceOf(error)};
    } catch (const std::bad_alloc&) {
        return {.path = {},
                .problem = SheetController::tr("There is not enough memory to draw it.")};
    }
}

}  // namespace

SheetController::SheetController(MainWindowWidgets& widgets,
                                 RunCommands& runs,
                                 GalleryController& gallery)
    : QObject(widgets.sheet),
      widgets_(widgets),
      runs_(runs),
      workspace_(widgets.workspace),
      view_(*widgets.sheet),
      notices_(widgets.notices),
      window_(&widgets.window) {
    connectWidgets();
    connect(&gallery, &GalleryController::forgotten, this, &SheetController::writeMissing);
    connect(&workspace_.queue, &RunQueue::ended, this, &SheetController::endRun);
    connect(&workspace_.queue, &RunQueue::takenBack, this, &SheetController::endWaiting);
    connect(&workspace_.queue, &RunQueue::runChanged, this, &SheetController::reportProgress);
    connect(&view_, &SheetView::valuesAsked, this, &SheetController::useValues);
    connect(&view_, &SheetView::retryAsked, this, &SheetController::retry);
    connect(&view_, &SheetView::sheetAsked, this, [this] { ask({}); });
    writeMissing();
}

void SheetController::connectWidgets() {
    const auto vary = [this](const std::string& node, const std::string& item, bool areRows) {
        if (runs_.commit()) {
            ask({.node = node, .item = item, .areRows = areRows});
        }
    };
    Inspector& inspector = widgets_.inspector;
    connect(&inspector, &Inspector::varyAsked, this, vary);
    connect(
        &widgets_.canvas,
        &GraphView::varyRequested,
        this,
        [vary](const std::string& node, const std::string& param) { vary(node, param, false); });
    // Begins with the parameter whose value is being edited, where there is one.
    widgets_.actions.on("run.sheet", this, [vary, &inspector] {
        const auto [node, param] = inspector.focused();
        vary(node, param, false);
    });
    widgets_.actions.on("view.sheet", this, [this] { open(view_.sheet()); });
    connect(widgets_.gallery, &Gallery::sheetAsked, this, &SheetController::open);
}

Json SheetController::optionsOf(const SheetPlan& plan) const {
    return plan.isMeasured ? Json{{"forceExecution", true}} : Json::object();
}

void SheetController::ask(const SheetRequest& request) {
    SheetDialog dialog(workspace_.model.document(),
                       workspace_.model.catalog(),
                       &workspace_.offered,
                       workspace_.engine.runner(),
                       planning_,
                       workspace_.planning.options(),
                       window_);
    dialog.preselect(request);
    if (dialog.exec() == QDialog::Accepted && runs_.mayRehearse()) {
        start(dialog.plan());
    }
}

void SheetController::start(const SheetPlan& plan) {
    const graph::Document document = workspace_.model.document();
    RunLibrary& library = *workspace_.library;
    std::vector<RunControl::Variant> variants;
    try {
        variants = variantsOf(plan, document, workspace_.model.catalog());
    } catch (const Error& error) {
        showError(window_, tr("The sheet cannot start"), error);
        return;
    }
    const QString name = workspace_.file.name();
    const QString what = plan.y ? tr("%1 and %2").arg(plan.x.label, plan.y->label) : plan.x.label;
    const RunRecord own{.key = library.newSheetKey(),
                        .state = RunState::Finished,  // nothing of it waits; its cells do
                        .title = tr("%1, sheet of %2").arg(name, what),
                        .graph = graph::toText(document),
                        .options = workspace_.planning.options().dump(),
                        .words = runWordsOf(document, workspace_.model.catalog(), name),
                        .asked = QDateTime::currentMSecsSinceEpoch()};
    SheetRecord sheet{.key = own.key,
                      .title = own.title,
                      .name = name,
                      .graph = own.graph,
                      .description = toText(plan),
                      .image = {},
                      .cells = {}};
    const std::vector<quint64> runs =
        workspace_.run.runVariants(std::move(variants), document, optionsOf(plan));
    if (runs.empty()) {
        return;  // why is reported
    }
    std::vector<RunKey> keys;
    for (const quint64 run : runs) {
        keys.push_back(library.keyOf(run));
        sheet.cells.push_back({.run = keys.back(), .isKnown = true});
    }
    library.write([own, description = sheet.description, keys](RunStore& store) {
        store.addSheet(own, description, keys);
    });
    show(sheet);
    if (const QueuedRun* running = workspace_.queue.running()) {
        reportProgress(running->id);
    }
}

void SheetController::show(const SheetRecord& sheet) {
    ++times_;
    take(sheet);
    view_.focusCells();
    widgets_.centre.setCurrentWidget(&view_);
}

/// As it is by now, where it is the one that is seen.
void SheetController::take(const SheetRecord& sheet) {
    if (const std::optional<SheetPlan> plan = sheetPlanFrom(sheet.description)) {
        view_.showSheet(sheet, *plan);
    } else {
        notices_.show(NoticeKind::Warning, tr("The sheet “%1” cannot be read.").arg(sheet.title));
    }
}

void SheetController::open(const RunKey& key) {
    const auto find = [key](RunStore& store) { return store.sheet(key); };
    workspace_.library->ask(find, this, [this, asked = ++times_](const auto& sheet) {
        if (asked != times_) {
            return;  // another one was shown or asked for meanwhile
        }
        if (!sheet) {
            widgets_.centre.setCurrentWidget(&view_);  // it shows how to make one
            return;
        }
        show(*sheet);
        if (sheet->image.isEmpty() && areAllOver(*sheet)) {
            write(*sheet, Reported::Success);
        }
    });
}

void SheetController::reportProgress(quint64 run) {
    const QueuedRun* queued = workspace_.queue.find(run);
    if (queued && queued->state == RunState::Running) {
        view_.setProgress(workspace_.library->keyOf(run), queued->progress);
    }
}

void SheetController::endRun(quint64 run) {
    const QueuedRun* queued = workspace_.queue.find(run);
    const auto end = [key = workspace_.library->keyOf(run),
                      files = queued ? queued->files : QStringList()](RunStore& store) {
        return store.endCell(key, files);
    };
    workspace_.library->write(end, this, [this](const std::optional<SheetRecord>& sheet) {
        if (sheet) {
            endCellsOf(*sheet);
        }
    });
}

void SheetController::endWaiting(const std::vector<quint64>& runs) {
    std::vector<RunKey> keys;
    for (const quint64 run : runs) {
        keys.push_back(workspace_.library->keyOf(run));
    }
    const auto find = [keys](RunStore& store) { return store.sheetsOf(keys); };
    workspace_.library->ask(find, this, [this](const std::vector<SheetRecord>& sheets) {
        for (const SheetRecord& sheet : sheets) {
            endCellsOf(sheet);
        }
    });
}

void SheetController::endCellsOf(const SheetRecord& sheet) {
    if (sheet.key == view_.sheet()) {
        take(sheet);
    }
    if (areAllOver(sheet)) {
        write(sheet, Reported::All);
    }
}

void SheetController::writeMissing() {
    const auto find = [](RunStore& store) { return store.unwrittenSheets(); };
    workspace_.library->ask(find, this, [this](const std::vector<SheetRecord>& sheets) {
        for (const SheetRecord& sheet : sheets) {
            if (areAllOver(sheet)) {
                write(sheet, Reported::Success);
            }
        }
    });
}

void SheetController::write(const SheetRecord& sheet, Reported reported) {
    const std::optional<SheetPlan> plan = sheetPlanFrom(sheet.description);
    if (!plan) {
        return;
    }
    if (folderOf(sheet).isEmpty()) {
        if (reported == Reported::All) {
            notices_.show(NoticeKind::Warning,
                          tr("The sheet “%1” has no image in any cell.").arg(sheet.title));
        }
        return;
    }
    if (writing_.contains(sheet.key)) {
        writing_[sheet.key] = true;  // with cells that have changed since
        return;
    }
    writing_.insert(sheet.key, false);
    drawing_.run([this,
                  sheet,
                  reported,
                  drawing = drawingOf(sheet, *plan),
                  &catalog = workspace_.model.catalog()] {
        const WrittenSheet done = written(sheet, drawing, catalog);
        return [this, sheet, reported, done] { takeWritten(sheet, reported, done); };
    });
}

void SheetController::takeWritten(const SheetRecord& sheet,
                                  Reported reported,
                                  const WrittenSheet& done) {
    const bool isOld = writing_.take(sheet.key);
    if (!done.problem.isEmpty()) {
        if (reported == Reported::All) {
            notices_.show(
                NoticeKind::Warning,
                tr("The image of “%1” is not written: %2").arg(sheet.title, done.problem));
        }
        return;
    }
    workspace_.library->write(
        [key = sheet.key, path = done.path](RunStore& store) { store.setSheetImage(key, path); });
    workspace_.library->addImages(sheet.key, {done.path}, ImageClaim::Wrote);
    const auto find = [key = sheet.key](RunStore& store) { return store.sheet(key); };
    workspace_.library->ask(find, this, [this, reported, isOld](const auto& now) {
        if (now && now->key == view_.sheet()) {
            take(*now);
        }
        if (now && isOld && areAllOver(*now)) {
            write(*now, reported);
        }
    });
    notices_.show(NoticeKind::Success,
                  tr("The sheet is ready: %1").arg(QFileInfo(done.path).fileName()),
                  tr("Show it"),
                  [this, key = sheet.key] { open(key); });
}

/// As one step that can be undone.
void SheetController::useValues(int cell) {
    const SheetPlan& plan = view_.table().plan();
    if (cell < 0) {
        return;
    }
    const auto at = static_cast<size_t>(cell);
    try {
        workspace_.model.apply(
            tr("Use %1").arg(plan.cellTitle(at)), [&](graph::Document& document) {
                document = cellOf(plan, at, document, workspace_.model.catalog());
            });
    } catch (const Error& error) {
        notices_.showOfDocument(
            NoticeKind::Warning,
            tr("The open graph does not take these values: %1").arg(errorText(error)));
        return;
    }
    notices_.showOfDocument(NoticeKind::Info, tr("The graph has %1 now.").arg(plan.cellTitle(at)));
    widgets_.showGraph();
}

/// The graph is that of the sheet, the options are those of today.
void SheetController::retry() {
    const SheetPlan plan = view_.table().plan();
    SheetRecord sheet = view_.table().sheet();
    std::vector<int> cells;
    std::vector<RunControl::Variant> variants;
    graph::Document document;
    try {
        document = graph::parseDocument(sheet.graph);
        for (int cell = 0; cell < static_cast<int>(sheet.cells.size()); ++cell) {
            if (view_.table().hasFailed(cell)) {
                const auto at = static_cast<size_t>(cell);
                cells.push_back(cell);
                variants.push_back(
                    {.document = cellOf(plan, at, document, workspace_.model.catalog()),
                     .title = plan.cellTitle(at)});
            }
        }
    } catch (const Error& error) {
        showError(window_, tr("The cells cannot run again"), error);
        return;
    }
    const std::vector<quint64> runs =
        workspace_.run.runVariants(std::move(variants), document, optionsOf(plan));
    std::vector<std::pair<RunKey, RunKey>> replacements;
    for (size_t i = 0; i < runs.size(); ++i) {
        SheetCellRecord& cell = sheet.cells[static_cast<size_t>(cells[i])];
        const RunKey now = workspace_.library->keyOf(runs[i]);
        replacements.emplace_back(cell.run, now);
        cell = {.run = now, .isKnown = true};
    }
    workspace_.library->write([replacements](RunStore& store) { store.replaceRuns(replacements); });
    take(sheet);
}

}  // namespace lowtide::ui
