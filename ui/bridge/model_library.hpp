#pragma once

#include "plugin/base/message.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"
#include "ui/models/model_folders.hpp"
#include "ui/models/model_kind.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

class Engine;

/// A file of weights, or a folder in the diffusers layout, as the module recognises it.
struct ModelFile {
    std::string path;
    std::string name;  ///< the last part of the path
    ModelKind kind = ModelKind::Other;
    std::string family;       ///< "SD 1.x", "ESRGAN", "LoRA"; empty: not recognised
    bool isRunnable = false;  ///< whether this version runs it, alone or with what it needs
    Message needs;            ///< a file that it lacks, or the other of two models; mostly empty
    Bytes weights = 0;        ///< of all tensors, as they are stored
    Bytes largest = 0;        ///< of the largest tensor
    Message problem;          ///< why it could not be read; empty: it could
};

/// Asks the module about a path (the call "recognise") and gives its status and answer; empty: it
/// cannot be asked. Any thread.
using Recognise = std::function<Status(const std::string& path, std::string& result)>;
/// Asks the module behind `engine`; the module must outlive it, not the engine.
[[nodiscard]] Recognise recogniserOf(const Engine& engine);

/// What a file is, or a folder with a model_index.json. What is wrong becomes the file's problem,
/// also a path that is not UTF-8: `path` and `name` are then text to show, and no graph can name
/// the file. Any thread.
[[nodiscard]] ModelFile recogniseFile(const Recognise& recognise, const std::string& path);

/// What a budget means for the weights of a file, before a graph specifies more. A quarter of the
/// budget is left for what the images need. Fits: all weights lie in the rest at once. Streams:
/// they do not, but four of the largest tensor do, so that one can be copied while another
/// computes.
enum class ModelVerdict { Unknown, Fits, Streams, TooBig };
/// `budget` 0: not known.
[[nodiscard]] ModelVerdict verdictOf(const ModelFile& model, Bytes budget);

/// A model that lies in one of the folders.
struct FoundModel {
    ModelFile file;
    std::string folder;              ///< the model folder
    std::string relative;            ///< from that folder
    std::string value;               ///< how a graph names it; filled by ModelLibrary
    files::FileIdentity identity{};  ///< when it was found; size 0: a folder, or not readable
};

/// Headers that were read before, by path; one whose file is unchanged is not read again.
struct ReadHeader {
    files::FileIdentity identity;
    ModelFile model;
};

using ReadHeaders = std::map<std::string, ReadHeader>;

/// The border at which paths from the disk become text: what it returns is UTF-8, and what has
/// another name is a row with a problem.
/// Looks through the folders, at most eight levels deep, each real folder once; links are followed.
/// A file that the module does not identify counts as what the folder's name suggests. Sorted
/// by kind and name. Stops early when asked to: the result is then to be thrown away.
[[nodiscard]] std::vector<FoundModel> scanModels(const std::vector<ModelFolder>& folders,
                                                 const Recognise& recognise,
                                                 ReadHeaders& known,
                                                 const StopToken& stop);

/// The models that lie in the user's folders. Folders are looked through on a thread of its own.
/// GUI thread only.
class ModelLibrary : public QObject {
    Q_OBJECT

public:
    /// `recognise` of a module that must outlive it; empty: it cannot be asked.
    explicit ModelLibrary(Recognise recognise = {}, QObject* parent = nullptr);
    /// Waits for the one header that is being read.
    ~ModelLibrary() override;

    /// Folders that the user chose, and extra_model_paths.yaml files; scans.
    void setFolders(const QStringList& chosen, const QStringList& pathsFiles);
    void rescan();

    [[nodiscard]] bool isScanning() const { return isScanning_; }

    [[nodiscard]] const std::vector<FoundModel>& models() const { return models_; }

    /// What a file is that lies in none of the folders.
    [[nodiscard]] ModelFile fileAt(const std::string& path) const;

    /// The folders of models behind those that were chosen.
    [[nodiscard]] const std::vector<ModelFolder>& folders() const { return folders_; }

    /// Sentences: a folder that is not there, a paths file that cannot be read.
    [[nodiscard]] const QStringList& problems() const { return problems_; }

    /// Bytes that weights and images may take on the device; 0: not known.
    void setBudget(Bytes budget);

    [[nodiscard]] Bytes budget() const { return budget_; }

    [[nodiscard]] ModelVerdict verdictOf(const FoundModel& model) const;

    /// The folders that the module was started with ("modelFolders", of resolveFolders()): names
    /// relative to them are understood there. Others are offered with their full path, as the next
    /// scan finds.
    void setEngineFolders(std::vector<std::string> folders) { engineFolders_ = std::move(folders); }

    /// Whether the module would find what a graph in `graphFolder` names.
    [[nodiscard]] bool isThere(const std::string& value, const QString& graphFolder) const;
    /// The same question for any thread, with the folders of now.
    [[nodiscard]] std::function<bool(const std::string& value, const QString& graphFolder)>
    whatIsThere() const;

Q_SIGNALS:
    /// Models, folders, problems.
    void changed();
    /// Their verdicts by the budget have changed: verdictOf().
    void budgetChanged();
    void scanned();

private:
    struct Found;
    void take(int scan, Found found);

    Recognise recognise_;
    std::vector<ModelFolder> folders_;
    std::vector<FoundModel> models_;
    std::vector<std::string> engineFolders_;
    QStringList problems_;
    QStringList chosen_;
    QStringList pathsFiles_;
    Bytes budget_ = 0;
    int lastScan_ = 0;
    bool isScanning_ = false;
    StopSource stop_;    ///< of the last scan
    ReadHeaders known_;  ///< touched by the scanning thread only
    Background background_;
};

}  // namespace lowtide::ui
