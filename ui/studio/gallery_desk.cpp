#include "ui/studio/gallery_desk.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/run_maker.hpp"
#include "ui/prompts/resolved_graph.hpp"
#include "ui/studio/differences_dialog.hpp"
#include "ui/studio/error_dialog.hpp"

#include <QFile>
#include <QMessageBox>
#include <QPushButton>

#include <set>

namespace lowtide::ui {

namespace {

QString leftOpenText(const std::vector<RunRecord>& runs) {
    return GalleryDesk::tr(
        "%n runs had not ended when the studio did.", nullptr, static_cast<int>(runs.size()));
}

const auto kNotKept = QStringLiteral("runs not kept");

}  // namespace

GalleryDesk::GalleryDesk(Workspace& workspace,
                         Gallery& gallery,
                         FileCommands& files,
                         NoticeBar& notices,
                         QWidget* window)
    : QObject(&gallery),
      workspace_(workspace),
      gallery_(gallery),
      files_(files),
      notices_(notices),
      window_(window) {
    connect(&gallery_, &Gallery::graphAsked, this, &GalleryDesk::openGraph);
    connect(&gallery_, &Gallery::seedAsked, this, &GalleryDesk::useSeed);
    connect(&gallery_, &Gallery::differencesAsked, this, &GalleryDesk::showDifferences);
    connect(&gallery_, &Gallery::refused, this, [this](const QString& sentence) {
        notices_.show(NoticeKind::Warning, sentence);
    });
    connect(&gallery_, &Gallery::removed, this, [this](const QString& sentence) {
        notices_.show(NoticeKind::Info, sentence, tr("Undo"), [this] { gallery_.undoRemove(); });
    });
    connect(&gallery_, &Gallery::returned, this, [this](const QString& sentence) {
        notices_.show(NoticeKind::Success, sentence);
    });
    RunLibrary& library = *workspace_.library;
    connect(&library, &RunLibrary::failed, this, &GalleryDesk::tellProblem);
    connect(&library, &RunLibrary::worksAgain, this, [this] { notices_.end(kNotKept); });
    connect(&library, &RunLibrary::repaired, this, [this](const QString& sentence) {
        notices_.show(NoticeKind::Warning, sentence);
    });
    if (!library.problem().isEmpty()) {
        tellProblem(library.problem());
    }
}

void GalleryDesk::tellProblem(const QString& problem) {
    notices_.stand(kNotKept, NoticeKind::Warning, tr("Runs are not kept: %1").arg(problem));
}

void GalleryDesk::withRun(const RunKey& key, const std::function<void(const RunRecord&)>& act) {
    workspace_.library->askRun(key, this, [this, act](const std::optional<RunRecord>& run) {
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

void GalleryDesk::openGraph(const RunKey& key, const QString& path) {
    withRun(key, [this, path](const RunRecord& run) {
        if (run.graph.empty()) {  // it was lost with a damaged file; the picture has it too
            files_.openPath(path);
            return;
        }
        const Json options = Json::parse(run.options, nullptr, false);
        OpenedGraph opened{.document = graph::parseDocument(run.graph),
                           .name = run.title,
                           .folder = QString::fromStdString(textIn(options, "graphFolder"))};
        keepPrompts(opened.document, workspace_.model.catalog());
        workspace_.file.look(
            this,
            path,
            [path] { return QFile::exists(path); },
            [this, opened = std::move(opened)](bool isThere) mutable {
                opened.isKept = isThere;
                files_.openDocument(std::move(opened), [this](bool isOpen) {
                    if (isOpen) {
                        Q_EMIT graphShown();
                    }
                });
            });
    });
}

void GalleryDesk::useSeed(const RunKey& key) {
    withRun(key, [this](const RunRecord& run) {
        const graph::Catalog& catalog = workspace_.model.catalog();
        const Json seeds = seedsIn(graph::parseDocument(run.graph), catalog);
        bool isTaken = false;
        workspace_.model.apply(
            tr("Use the seed of “%1”").arg(run.title),
            [&](graph::Document& document) { isTaken = takeSeeds(document, catalog, seeds); });
        notices_.show(
            NoticeKind::Info,
            isTaken
                ? tr("The graph has the seed of “%1” now, and keeps it.").arg(run.title)
                : tr("There is no seed in the graph of “%1”, or none in this one.").arg(run.title));
        if (isTaken) {
            Q_EMIT graphShown();
        }
    });
}

void GalleryDesk::showDifferences(const RunKey& key) {
    withRun(key, [this](const RunRecord& run) {
        DifferencesDialog dialog(
            run.title, graph::parseDocument(run.graph), workspace_.model, window_);
        dialog.exec();
    });
}

void GalleryDesk::offerLeftOpen() {
    workspace_.library->askLeftOpen(this, [this](const std::vector<RunRecord>& runs) {
        if (!runs.empty()) {
            notices_.show(
                NoticeKind::Info, leftOpenText(runs), tr("Choose"), [this] { chooseLeftOpen(); });
        }
    });
}

void GalleryDesk::chooseLeftOpen() {
    workspace_.library->askLeftOpen(this, [this](const std::vector<RunRecord>& runs) {
        if (runs.empty()) {
            notices_.show(NoticeKind::Info, tr("Every run of earlier times has ended."));
        } else {
            ask(runs);
        }
    });
}

void GalleryDesk::ask(const std::vector<RunRecord>& runs) {
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
        workspace_.library->forget(keys);
        Q_EMIT forgotten();
    }
}

/// What they wrote before they ended stays theirs. Another studio may have been asked the same.
void GalleryDesk::runAgain(const std::vector<RunRecord>& runs) {
    std::vector<RunKey> keys;
    for (const RunRecord& run : runs) {
        keys.push_back(run.key);
    }
    workspace_.library->claim(keys, this, [this, runs](const std::vector<RunKey>& claimed) {
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
                             .inPlaceOf = run.key});
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
