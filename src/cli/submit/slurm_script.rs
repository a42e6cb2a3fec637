//! The job script: tasks 1 to N are shards of the cells, task 0 is everything else.

use std::path::PathBuf;

use crate::cli::show::quoted;

/// The folder of scripts and of what tasks print, below the project's folder.
pub(super) const FOLDER: &str = "results/log/slurm";

/// The content of a job script.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Script {
    /// The project's folder.
    pub root: PathBuf,
    /// This program.
    pub program: PathBuf,
    /// Its arguments, the same for all tasks.
    pub words: Vec<String>,
    /// How many tasks share the cells.
    pub tasks: usize,
    /// How many cells are missing.
    pub cells: usize,
    /// When it was written, in seconds since 1970: a cluster that is set up anew gives the same ids to other jobs.
    pub moment: u64,
    /// Processors of each task.
    pub cpus: usize,
    /// How many seconds before its end a task is warned.
    pub warning: u64,
    /// Further options of sbatch.
    pub directives: Vec<String>,
}

impl Script {
    /// The batch of an array job.
    pub(super) fn batch(&self, id: &str) -> String {
        format!("slurm-{}-{id}", self.moment)
    }

    /// The text of the script, which will be called `name`. Its last line replaces the shell by the program, so that the
    /// program receives the scheduler's signals.
    pub(super) fn text(&self, name: &str) -> String {
        let Self { tasks, cells, cpus, warning, .. } = self;
        let mut text = "#!/bin/sh\n# noregret: ".to_owned();
        if *tasks > 0 {
            text.push_str(&format!("tasks 1 to {tasks} share {cells} missing cells; "));
        }
        text.push_str(&format!(
            "task 0 makes tables, figures and the report.\n\
             # `noregret submit` does this; by hand, in the project's folder:\n\
             #   mkdir -p {FOLDER}\n"
        ));
        let name = quoted(name);
        if *tasks > 0 {
            text.push_str(&format!(
                "#   id=$(sbatch --parsable {name})\n\
                 #   sbatch --array=0 --dependency=afterany:\"$id\" {name}\n\
                 #SBATCH --array=1-{tasks}\n"
            ));
        } else {
            text.push_str(&format!("#   sbatch {name}\n#SBATCH --array=0\n"));
        }
        text.push_str(&format!(
            "#SBATCH --job-name=noregret\n\
             #SBATCH --chdir={}\n\
             #SBATCH --output={FOLDER}/%A_%a.log\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --requeue\n\
             #SBATCH --nodes=1\n\
             #SBATCH --ntasks=1\n\
             #SBATCH --cpus-per-task={cpus}\n\
             #SBATCH --signal=B:USR1@{warning}\n",
            quoted(&self.root.display().to_string()),
        ));
        for directive in &self.directives {
            text.push_str(&format!("#SBATCH {directive}\n"));
        }
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        text.push_str("set -- --no-cells\n");
        if *tasks > 0 {
            let batch = self.batch("$SLURM_ARRAY_JOB_ID");
            text.push_str(&format!(
                "if [ \"$SLURM_ARRAY_TASK_ID\" -gt 0 ]; then\n    \
                 set -- --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" --batch \"{batch}\"\n\
                 fi\n"
            ));
        }
        text.push_str(&format!(
            "exec {} {} --jobs \"${{SLURM_CPUS_PER_TASK:-{cpus}}}\" \"$@\"\n",
            quoted(&self.program.display().to_string()),
            words.join(" "),
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn script(tasks: usize) -> Script {
        Script {
            root: "/my project".into(),
            program: "/opt/noregret".into(),
            words: vec!["run".into(), "figure/*".into(), "stream.name='x'".into()],
            tasks,
            cells: 200,
            moment: 5,
            cpus: 2,
            warning: 60,
            directives: vec!["--time=10".into()],
        }
    }

    /// What the shell makes of the last line of the script, a word a line, if the program is `printf`.
    fn executed(script: &Script, task: &str) -> std::io::Result<String> {
        let script = Script {
            program: "printf".into(),
            words: ["%s\\n"].map(String::from).into_iter().chain(script.words.clone()).collect(),
            ..script.clone()
        };
        let mut shell = Command::new("sh");
        shell.args(["-c", &script.text("job.sh")]).env_remove("SLURM_CPUS_PER_TASK");
        shell.env("SLURM_ARRAY_TASK_ID", task).env("SLURM_ARRAY_JOB_ID", "17");
        Ok(String::from_utf8_lossy(&shell.output()?.stdout).into_owned())
    }

    #[test]
    fn tasks_are_shards_and_task_0_is_the_rest() -> std::io::Result<()> {
        let same = "run\nfigure/*\nstream.name='x'\n--jobs\n2\n";
        assert_eq!(executed(&script(8), "3")?, format!("{same}--shard\n3/8\n--batch\nslurm-5-17\n"));
        assert_eq!(executed(&script(8), "0")?, format!("{same}--no-cells\n"));
        Ok(())
    }

    #[test]
    fn directives_stand_before_the_first_command() {
        let text = script(8).text("job.sh");
        assert!(
            text.starts_with("#!/bin/sh\n# noregret: tasks 1 to 8 share 200 missing cells; task 0 makes"),
            "{text}"
        );
        let commands = text.lines().position(|line| !line.starts_with('#')).unwrap_or(0);
        let directives: Vec<&str> = text.lines().take(commands).filter(|line| line.starts_with("#SBATCH")).collect();
        for wanted in ["#SBATCH --array=1-8", "#SBATCH --chdir='/my project'", "#SBATCH --signal=B:USR1@60"] {
            assert!(directives.contains(&wanted), "{text}");
        }
        assert_eq!(directives.last(), Some(&"#SBATCH --time=10"));
        assert_eq!(text.matches("#SBATCH").count(), directives.len());
        let rest = script(0).text("job.sh");
        assert!(rest.contains("#SBATCH --array=0\n") && !rest.contains("--shard"), "{rest}");
    }
}
