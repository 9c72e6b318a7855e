#pragma once

#include "ui/bridge/model_scan.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::ui {

/// The models that lie in the person's folders. Folders are looked through on a thread of its own.
/// GUI thread only.
class ModelLibrary : public QObject {
    Q_OBJECT

public:
    /// `recognise` of a module that must outlive it; empty: it cannot be asked.
    explicit ModelLibrary(Recognise recognise = {}, QObject* parent = nullptr);
    /// Waits for the one header that is being read.
    ~ModelLibrary() override;

    /// Folders that the person chose, and extra_model_paths.yaml files; scans.
    void setFolders(const QStringList& chosen, const QStringList& pathsFiles);
    void rescan();
    [[nodiscard]] bool isScanning() const;

    [[nodiscard]] const std::vector<FoundModel>& models() const;
    /// What a file is that lies in none of the folders.
    [[nodiscard]] ModelFile fileAt(const std::string& path) const;
    /// The folders of models behind those that were chosen.
    [[nodiscard]] const std::vector<ModelFolder>& folders() const;
    /// Sentences: a folder that is not there, a paths file that cannot be read.
    [[nodiscard]] const QStringList& problems() const;

    /// Bytes that weights and pictures may take on the device; 0: not known.
    void setBudget(Bytes budget);
    [[nodiscard]] Bytes budget() const;
    [[nodiscard]] ModelVerdict verdictOf(const FoundModel& model) const;

    /// The folders that the module was started with ("modelFolders", of resolveFolders()): names
    /// relative to them are understood there. Others are offered with their full path, as the next
    /// scan finds.
    void setEngineFolders(std::vector<std::string> folders);
    /// Whether the module would find what a graph in `graphFolder` names.
    [[nodiscard]] bool isThere(const std::string& value, const QString& graphFolder) const;
    /// The same question for any thread, with the folders of now.
    [[nodiscard]] std::function<bool(const std::string& value, const QString& graphFolder)>
    whatIsThere() const;

Q_SIGNALS:
    /// Models, folders, problems.
    void changed();
    /// What the budget says of them: verdictOf().
    void budgetChanged();
    void scanned();

private:
    struct State;
    struct Found;
    void take(int scan, Found found);

    std::unique_ptr<State> state_;
};

}  // namespace lowtide::ui
